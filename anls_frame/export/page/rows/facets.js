// The panel of facets: values with their counts, and ranges with a histogram.

const FEW = 10;
const FEW_ORDERED = 14;
const MANY = 200;

/** A facet of values: a box to check for each. */
class ValuesPanel {
  constructor(filter, { colors, changed }) {
    this.filter = filter;
    this.colors = colors;
    this.changed = changed;
    this.few = filter.isOrdered ? FEW_ORDERED : FEW;
    this.limit = this.few;
    this.list = element("ul");
    this.more = element("button", { class: "more", type: "button", onclick: () => this.toggleMore() });
    this.clear = clearButton(filter, changed);
    this.element = element(
      "fieldset",
      { class: "facet" },
      element("legend", {}, element("span", { dir: "auto" }, visible(filter.title)), this.clear),
      this.list,
      this.more,
    );
    this.items = new Map();
    this.codes = null;
  }

  toggleMore() {
    this.limit = this.limit === MANY ? this.few : MANY;
    this.show(this.counts, this.passing);
  }

  /** Return the values of all rows in the order of the panel: their own, or the most frequent first. */
  ordered() {
    const counts = this.ofAll;
    const codes = Array.from(counts.keys()).filter((code) => counts[code] > 0 && (code > 0 || this.filter.hasNull));
    if (this.filter.isOrdered) {
      return codes.sort((one, other) => (one || Infinity) - (other || Infinity));
    }
    return codes.sort((one, other) => counts[other] - counts[one] || one - other);
  }

  /** Show the counts of the rows that pass all other filters, and `passing`, their number. */
  show(counts, passing) {
    this.counts = counts;
    this.passing = passing;
    this.ofAll ??= this.filter.counts(() => true);
    // The order stays while values are selected, so that they keep their places.
    this.codes ??= this.ordered();
    const { wanted } = this.filter;
    const shown = this.codes.slice(0, this.limit);
    const hidden = this.codes.slice(this.limit);
    shown.push(...hidden.filter((code) => wanted.has(code)));
    const most = Math.max(1, ...shown.map((code) => Math.max(counts[code], this.expected(code))));
    this.list.replaceChildren(...shown.map((code) => this.item(code, counts[code], most)));
    this.clear.hidden = !this.filter.isActive;
    this.more.hidden = this.codes.length <= this.few;
    const rest = Math.min(this.codes.length, MANY) - this.few;
    this.more.textContent = this.limit === MANY ? "fewer" : `${grouped(rest)} more`;
  }

  /** Return how many of these rows would have a value if it were as frequent as in all rows. */
  expected(code) {
    return (this.passing * this.ofAll[code]) / this.filter.column.rows;
  }

  item(code, count, most) {
    if (!this.items.has(code)) {
      this.items.set(code, this.newItem(code));
    }
    const { box, number, bar, usual, line } = this.items.get(code);
    box.checked = this.filter.wanted.has(code);
    number.textContent = grouped(count);
    bar.style.width = `${(100 * count) / most}%`;
    line.classList.toggle("none", count === 0);
    const { rows } = this.filter.column;
    usual.hidden = this.passing === rows;
    usual.style.left = `${(100 * this.expected(code)) / most}%`;
    const ofAll = percent(this.ofAll[code], rows);
    const shares = usual.hidden ? `${ofAll} of all rows` : `${percent(count, this.passing)} of these rows, ${ofAll} of all`;
    line.title = `${namedValue(this.filter, this.filter.column.valueOf(code))}: ${shares}`;
    return line;
  }

  newItem(code) {
    const { filter, changed } = this;
    const value = filter.column.valueOf(code);
    const box = element("input", {
      type: "checkbox",
      onchange: () => {
        filter.wanted[box.checked ? "add" : "delete"](code);
        changed(filter);
      },
    });
    const number = element("span", { class: "count" });
    const bar = element("span", { class: "bar" });
    const color = this.colors?.[value];
    if (color) {
      bar.style.background = color;
      bar.classList.add("own");
    }
    const name = element("span", { class: "name", dir: "auto" }, ...this.nameOf(value));
    const usual = element("i", { class: "usual" });
    const label = element("label", {}, box, name, number, element("span", { class: "track" }, bar, usual));
    return { box, number, bar, usual, line: element("li", {}, label) };
  }

  nameOf(value) {
    const { filter } = this;
    if (value === null && filter.nothing) {
      return [filter.nothing];
    }
    if (filter.called && value !== null) {
      return [filter.called(value)];
    }
    if (filter.id !== "read_as") {
      return [shownValue(value, 200)];
    }
    // An arrow points from left to right, whatever is on its sides.
    const [reference, predicted] = value.split(" → ").map((text) => element("bdi", {}, visible(text)));
    return [element("bdi", { dir: "ltr" }, reference, " → ", predicted)];
  }
}

function percent(count, all) {
  const share = (100 * count) / (all || 1);
  return `${share > 0 && share < 1 ? "below 1" : Math.round(share)} %`;
}

function clearButton(filter, changed) {
  return element("button", {
    class: "clear",
    type: "button",
    hidden: true,
    "aria-label": `Clear ${filter.name}`,
    onclick: () => {
      filter.clear();
      changed(filter);
    },
  }, "clear");
}

/** A facet of numbers: a histogram in which a range is dragged, and its ends as fields. */
class RangePanel {
  constructor(filter, { changed }) {
    const { unit } = filter.column;
    this.filter = filter;
    this.changed = changed;
    this.bars = Array.from({ length: BINS }, () => element("span", { class: "bin" }, element("i")));
    this.histogram = element("div", { class: "histogram", "aria-hidden": "true" }, ...this.bars);
    this.low = this.field("least", (value) => { filter.low = value; });
    this.high = this.field("most", (value) => { filter.high = value; });
    this.clear = clearButton(filter, changed);
    this.without = element("button", {
      class: "without",
      type: "button",
      onclick: () => {
        const { isWithout } = filter;
        filter.clear();
        filter.isWithout = !isWithout;
        changed(filter);
      },
    });
    this.element = element(
      "fieldset",
      { class: "facet" },
      element("legend", {}, element("span", { dir: "auto" }, visible(filter.title), unit && ` (${unit})`), this.clear),
      this.histogram,
      element("div", { class: "ends" }, this.low, this.high),
      this.without,
    );
    this.listen();
  }

  field(what, set) {
    const { filter } = this;
    const { column } = filter;
    return element("input", {
      type: "number",
      step: "any",
      placeholder: figure(column.scaled(what === "least" ? filter.least : filter.most)),
      "aria-label": `${filter.name}, ${what}${column.unit && `, ${column.unit}`}`,
      onchange: (event) => {
        filter.isWithout = false;
        set(event.target.value === "" ? null : Number(event.target.value) / column.scale);
        this.changed(filter);
      },
    });
  }

  /** Take the range from the bins over which the pointer is dragged. */
  listen() {
    let first = null;
    const bin = (event) => {
      const box = this.histogram.getBoundingClientRect();
      const at = Math.floor((BINS * (event.clientX - box.left)) / box.width);
      return Math.max(0, Math.min(BINS - 1, at));
    };
    const select = (event) => {
      const [low, high] = [first, bin(event)].sort((one, other) => one - other);
      const { filter } = this;
      filter.isWithout = false;
      filter.low = low === 0 ? null : rounded(filter.least + low * filter.step);
      filter.high = high === BINS - 1 ? null : below(filter, high + 1);
      this.changed(filter);
    };
    this.histogram.addEventListener("pointerdown", (event) => {
      first = bin(event);
      this.histogram.setPointerCapture(event.pointerId);
      select(event);
    });
    this.histogram.addEventListener("pointermove", (event) => {
      if (first !== null) {
        select(event);
      }
    });
    this.histogram.addEventListener("pointerup", () => { first = null; });
    this.histogram.addEventListener("pointercancel", () => { first = null; });
  }

  show(counts) {
    const { filter } = this;
    const most = Math.max(1, ...counts.subarray(0, BINS));
    const [low, high] = [filter.low ?? -Infinity, filter.high ?? Infinity];
    this.bars.forEach((bar, at) => {
      // Few rows are seen too.
      bar.firstChild.style.height = counts[at] ? `${Math.max(4, (100 * counts[at]) / most)}%` : "0";
      const from = filter.least + at * filter.step;
      const [start, end] = [from, from + filter.step].map((number) => filter.column.figure(rounded(number)));
      bar.title = `${start} to ${end}: ${counted(counts[at], "row")}`;
      const isOut = filter.isWithout || from + filter.step * 0.999 < low || from > high;
      bar.classList.toggle("out", filter.isActive && isOut);
    });
    [this.low.value, this.high.value] = [filter.low, filter.high].map((end) => (
      end === null ? "" : filter.column.scaled(end)
    ));
    this.clear.hidden = !filter.isActive;
    this.without.hidden = counts[BINS] === 0 && !filter.isWithout;
    this.without.setAttribute("aria-pressed", filter.isWithout);
    this.without.textContent = `${grouped(counts[BINS])} without`;
  }
}

function rounded(number) {
  return Number(number.toPrecision(6));
}

/** Return the largest number of a column in the bins before this one. */
function below(filter, bin) {
  const numbers = filter.column.pool.filter((value, at) => typeof value === "number" && filter.bins[at + 1] < bin);
  return numbers.length ? numbers[numbers.length - 1] : rounded(filter.least + bin * filter.step);
}

function panelOf(filter, options) {
  return filter.kind === "range" ? new RangePanel(filter, options) : new ValuesPanel(filter, options);
}

/** Systems whose filters are open, and those that are listed, until more are asked for. */
const OPEN_SYSTEMS = 2;
const LISTED_SYSTEMS = 6;

/** Return the filters of each system under its name, to be opened; those of a system alone need no name. */
function systemGroups(systems, panels, opened) {
  if (systems.length === 1) {
    return panels.map((panel) => panel.element);
  }
  const groups = systems.map((name, system) => element(
    "details",
    { class: "group", open: system < OPEN_SYSTEMS, hidden: system >= LISTED_SYSTEMS, ontoggle: opened },
    element("summary", { dir: "auto" }, visible(name)),
    ...panels.filter(({ filter }) => filter.system === system).map((panel) => panel.element),
  ));
  const rest = systems.length - LISTED_SYSTEMS;
  const more = element("button", {
    class: "more",
    type: "button",
    hidden: rest <= 0,
    onclick: () => {
      groups.forEach((group) => { group.hidden = false; });
      more.hidden = true;
    },
  }, `${counted(rest, "more system")}`);
  return [...groups, more];
}
