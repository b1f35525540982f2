// The state of the view in the page's address, after "#", so that a view can be linked.

const RESERVED = new Set(["q", "sort", "row"]);

/** Return the key of each filter: its name where that says enough. */
function addressKeys(filters) {
  const names = filters.map((filter) => filter.name);
  const ids = new Set(filters.map((filter) => filter.id));
  return filters.map(({ id, name }) => {
    const isTaken = RESERVED.has(name) || (ids.has(name) && id !== name);
    const isClear = !isTaken && names.indexOf(name) === names.lastIndexOf(name);
    return id === "q" || !isClear ? id : name;
  });
}

function writtenFilter(filter) {
  if (filter.kind === "search") {
    return filter.text;
  }
  if (filter.kind === "range") {
    return filter.isWithout ? "null" : `${filter.low ?? ""}..${filter.high ?? ""}`;
  }
  const values = [...filter.wanted].sort((one, other) => one - other).map((code) => filter.column.valueOf(code));
  return JSON.stringify(values).slice(1, -1);
}

/** Set a filter from an address; return whether the page has all that it asks for. */
function readFilter(filter, text) {
  if (filter.kind === "search") {
    filter.text = text;
    return true;
  }
  return filter.kind === "range" ? readRange(filter, text) : readValues(filter, text);
}

function readRange(filter, text) {
  if (text === "null") {
    filter.isWithout = true;
    return true;
  }
  const ends = text.split("..").map((end) => (end === "" ? null : Number(end)));
  if (ends.length !== 2 || ends.some((end) => Number.isNaN(end))) {
    return false;
  }
  [filter.low, filter.high] = ends;
  return true;
}

function readValues(filter, text) {
  const codes = new Map(filter.column.pool.map((value, at) => [value, at + 1]));
  codes.set(null, 0);
  let values;
  try {
    values = JSON.parse(`[${text}]`);
  } catch {
    // Written by hand, and wrongly.
    return false;
  }
  const known = values.filter((value) => codes.has(value));
  known.forEach((value) => filter.wanted.add(codes.get(value)));
  return known.length === values.length;
}

/** Write filters, sorting and the open row into the address and the browser's history. */
function writeAddress({ filters, sort, open }) {
  const keys = addressKeys(filters);
  const parameters = new URLSearchParams();
  filters.forEach((filter, at) => {
    if (filter.isActive) {
      parameters.set(keys[at], writtenFilter(filter));
    }
  });
  if (sort) {
    parameters.set("sort", sort);
  }
  if (open !== null) {
    parameters.set("row", open);
  }
  const view = parameters.toString();
  if (view === history.state?.view) {
    return;
  }
  if (!writeHistory("replaceState", { view }, `#${view}`)) {
    // A page within another one has no address of its own, but its part of the history.
    writeHistory("replaceState", { view });
  }
}

/** Let the browser's "back" return to the view as it is. */
function keepAddress() {
  writeHistory("pushState", history.state);
}

/** Write into the history; return whether the browser did: some do it only so often. */
function writeHistory(method, state, address) {
  try {
    history[method](state, "", address);
    return true;
  } catch {
    return false;
  }
}

/** Set the filters from an address; return the sorting, the open row, and what no filter of the page has. */
function readAddress(filters, text) {
  const parameters = new URLSearchParams(text);
  const keys = addressKeys(filters);
  const unknown = [];
  filters.forEach((filter) => filter.clear());
  for (const [name, written] of parameters) {
    // Links of other pages have the ids of columns, which are never doubled.
    const filter = filters.find((one, at) => keys[at] === name || one.id === name);
    const isKnown = filter ? readFilter(filter, written) : name === "sort" || name === "row";
    if (!isKnown) {
      unknown.push(`${name}=${written}`);
    }
  }
  const row = parameters.get("row");
  return { sort: parameters.get("sort"), open: row === null || row === "" ? null : Number(row), unknown };
}

/** Return the column of a sorting, and whether its largest values are first. */
function sortFrom(text) {
  return { id: text.replace(/^-/, ""), isDescending: text.startsWith("-") };
}
