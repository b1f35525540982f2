// The state of the view in the page's address, behind "#", so that a view can be linked.

const RESERVED = new Set(["q", "sort", "row"]);

/** Return the key of each filter: its name where that says enough. */
function addressKeys(filters) {
  const names = filters.map((filter) => filter.name);
  return filters.map(({ id, name }) => {
    const isClear = !RESERVED.has(name) && names.indexOf(name) === names.lastIndexOf(name);
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

function readFilter(filter, text) {
  filter.clear();
  if (filter.kind === "search") {
    filter.text = text;
  } else if (filter.kind === "range" && text === "null") {
    filter.isWithout = true;
  } else if (filter.kind === "range") {
    const [low, high] = text.split("..").map((end) => (end === "" || Number.isNaN(Number(end)) ? null : Number(end)));
    filter.low = low ?? null;
    filter.high = high ?? null;
  } else {
    const codes = new Map(filter.column.pool.map((value, at) => [value, at + 1]));
    codes.set(null, 0);
    for (const value of JSON.parse(`[${text}]`)) {
      if (codes.has(value)) {
        filter.wanted.add(codes.get(value));
      }
    }
  }
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

/** Set the filters from an address; return the sorting and the open row. */
function readAddress(filters, text) {
  const parameters = new URLSearchParams(text);
  addressKeys(filters).forEach((key, at) => {
    filters[at].clear();
    try {
      // Links of other pages have the ids of columns, which are never doubled.
      const written = parameters.get(key) ?? parameters.get(filters[at].id);
      if (written !== null) {
        readFilter(filters[at], written);
      }
    } catch {
      // Written by hand, and wrongly.
      filters[at].clear();
    }
  });
  const row = parameters.get("row");
  return { sort: parameters.get("sort"), open: row === null || row === "" ? null : Number(row) };
}
