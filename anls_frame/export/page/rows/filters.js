// Which rows are selected, and in which order: facets of values, ranges of numbers and a search.

const BINS = 20;

/** What is said of a row that has no answers, and so no score. */
const NO_ANSWER = "no answer";

/** Whether values have an order that says more than how often they occur. */
function isOrdered(id, column) {
  return /^(right|same|type_)/.test(id) || column.isNumeric;
}

/** Values of a column, any of which may be wanted; `nothing` is what null is called, if it can be, `called` the others. */
class Values {
  constructor(id, name, column, { isOrdered, nothing = null, called = null, hasNull = true, hasPanel = true }) {
    Object.assign(this, { id, name, title: name, column, isOrdered, nothing, called, hasNull, hasPanel, kind: "values" });
    this.wanted = new Set();
  }

  get isActive() {
    return this.wanted.size > 0;
  }

  clear() {
    this.wanted.clear();
  }

  passes() {
    const { column } = this;
    const isWanted = new Uint8Array(column.pool.length + 1);
    this.wanted.forEach((code) => { isWanted[code] = 1; });
    return (row) => column.hasAny(row, isWanted);
  }

  /** Return how many of the rows have each value. */
  counts(isCounted) {
    const { column } = this;
    const found = new Uint32Array(column.pool.length + 1);
    for (let row = 0; row < column.rows; row += 1) {
      if (isCounted(row)) {
        column.countIn(row, found);
      }
    }
    return found;
  }
}

/** Numbers between two ends, or the rows without a number. */
class Range {
  constructor(id, name, column) {
    Object.assign(this, { id, name, title: name, column, kind: "range", hasPanel: true, low: null, high: null, isWithout: false });
    const numbers = column.pool.filter((value) => typeof value === "number");
    this.least = numbers.length ? numbers[0] : 0;
    this.most = numbers.length ? numbers[numbers.length - 1] : 1;
    if (this.least >= 0 && this.most <= 1) {
      [this.least, this.most] = [0, 1];
    }
    if (id.startsWith("change_")) {
      // The middle is where nothing changes.
      this.most = Math.max(-this.least, this.most);
      this.least = -this.most;
    }
    this.step = (this.most - this.least) / BINS || 1;
    this.bins = Uint32Array.from([null, ...column.pool], (value) => {
      const bin = Math.floor((value - this.least) / this.step + 1e-9);
      return typeof value === "number" ? Math.min(bin, BINS - 1) : BINS;
    });
  }

  get isActive() {
    return this.low !== null || this.high !== null || this.isWithout;
  }

  clear() {
    this.low = null;
    this.high = null;
    this.isWithout = false;
  }

  passes() {
    const { column, isWithout } = this;
    const low = this.low ?? -Infinity;
    const high = this.high ?? Infinity;
    const isWanted = Uint8Array.from([null, ...column.pool], (value) => (
      (isWithout ? value === null : typeof value === "number" && value >= low && value <= high) ? 1 : 0
    ));
    return (row) => isWanted[column.codes[row]] === 1;
  }

  /** Return how many of the rows are in each bin; the last is for values that are not numbers. */
  counts(isCounted) {
    const found = new Uint32Array(BINS + 1);
    const { codes } = this.column;
    for (let row = 0; row < codes.length; row += 1) {
      if (isCounted(row)) {
        found[this.bins[codes[row]]] += 1;
      }
    }
    return found;
  }
}

/** The values of a pool in lower case, each with a mask of the pairs of characters that it has. */
class SearchedPool {
  constructor(values) {
    this.values = values;
    this.lower = [];
    this.masks = new Int32Array(2 * values.length);
  }

  get prepared() {
    return this.lower.length;
  }

  prepare(until) {
    const end = Math.min(until, this.values.length);
    for (let at = this.lower.length; at < end; at += 1) {
      const text = String(this.values[at]).toLowerCase();
      this.lower.push(text);
      [this.masks[2 * at], this.masks[2 * at + 1]] = pairMasks(text);
    }
  }

  /** Return which codes have a value with this text; most others lack a pair of its characters. */
  hits(text) {
    this.prepare(Infinity);
    const { lower, masks } = this;
    const [low, high] = pairMasks(text);
    const found = new Uint8Array(lower.length + 1);
    for (let at = 0; at < lower.length; at += 1) {
      if ((masks[2 * at] & low) === low && (masks[2 * at + 1] & high) === high && lower[at].includes(text)) {
        found[at + 1] = 1;
      }
    }
    return found;
  }
}

/** Return 64 bits, as two numbers; each pair of neighbouring characters sets one. */
function pairMasks(text) {
  let [low, high] = [0, 0];
  let last = text.charCodeAt(0);
  for (let at = 1; at < text.length; at += 1) {
    const next = text.charCodeAt(at);
    const bit = Math.imul(last * 31 + next, 0x9e3779b1) >>> 26;
    if (bit < 32) {
      low |= 1 << bit;
    } else {
      high |= 1 << (bit - 32);
    }
    last = next;
  }
  return [low, high];
}

/** A text that is in any of several columns, in upper or lower case. */
class Search {
  constructor(columns) {
    Object.assign(this, { id: "q", name: "search", columns, kind: "search", text: "" });
    this.pools = new Map(columns.map(({ pool }) => [pool, new SearchedPool(pool)]));
  }

  get isActive() {
    return this.text !== "";
  }

  clear() {
    this.text = "";
  }

  /** Do a part of the work before a search asks for it; return whether more is left. */
  prepare(most) {
    for (const pool of this.pools.values()) {
      if (pool.prepared < pool.values.length) {
        pool.prepare(pool.prepared + most);
        return true;
      }
    }
    return false;
  }

  passes() {
    const text = this.text.toLowerCase();
    const hits = new Map();
    this.pools.forEach((searched, pool) => { hits.set(pool, searched.hits(text)); });
    const found = this.columns.map((column) => [column, hits.get(column.pool)]);
    return (row) => found.some(([column, isHit]) => column.hasAny(row, isHit));
  }
}

/** All filters together: how many of them each row fails. */
class Filters {
  constructor(count, filters) {
    this.count = count;
    this.filters = filters;
    this.fails = new Uint16Array(count);
    this.failsOf = new Map();
    this.passingAll = null;
    this.orders = new Map();
  }

  /** Look at all rows again for a filter that has changed. */
  update(filter) {
    const { fails, failsOf } = this;
    const before = failsOf.get(filter);
    if (before) {
      before.forEach((failed, row) => { fails[row] -= failed; });
      failsOf.delete(filter);
    }
    if (filter.isActive) {
      const passes = filter.passes();
      const now = new Uint8Array(this.count);
      for (let row = 0; row < this.count; row += 1) {
        if (!passes(row)) {
          now[row] = 1;
          fails[row] += 1;
        }
      }
      failsOf.set(filter, now);
    }
    this.passingAll = null;
  }

  /** Return what says whether a row passes all filters but one. */
  passesOthers(filter) {
    const { fails } = this;
    const own = this.failsOf.get(filter);
    return own ? (row) => fails[row] === own[row] : (row) => fails[row] === 0;
  }

  /** Return how many rows each value of a filter has among those that pass all others. */
  counts(filter) {
    return filter.counts(this.passesOthers(filter));
  }

  /** Return how many rows pass all filters but one. */
  passing(filter) {
    if (filter.isActive) {
      return this.passed(this.passesOthers(filter));
    }
    this.passingAll ??= this.passed(this.passesOthers(filter));
    return this.passingAll;
  }

  passed(passes) {
    let number = 0;
    for (let row = 0; row < this.count; row += 1) {
      number += passes(row) ? 1 : 0;
    }
    return number;
  }

  /** Return the rows that pass, sorted by a column; rows without a value are last. */
  selected(column, isDescending) {
    const found = new Uint32Array(this.count);
    let length = 0;
    const order = this.order(column, isDescending);
    for (let at = 0; at < this.count; at += 1) {
      const row = order === null ? at : order[at];
      if (this.fails[row] === 0) {
        found[length] = row;
        length += 1;
      }
    }
    return found.subarray(0, length);
  }

  /** Return all rows by the codes of a column, which are in order. */
  order(column, isDescending) {
    if (column === null) {
      return null;
    }
    const key = isDescending ? "descending" : "ascending";
    if (!this.orders.has(column)) {
      this.orders.set(column, {});
    }
    const known = this.orders.get(column);
    if (!(key in known)) {
      known[key] = this.sorted(column, isDescending);
    }
    return known[key];
  }

  sorted(column, isDescending) {
    const last = column.pool.length;
    const place = (row) => {
      const code = column.code(row);
      if (code === 0) {
        return last;
      }
      return isDescending ? last - code : code - 1;
    };
    const starts = new Uint32Array(last + 2);
    for (let row = 0; row < this.count; row += 1) {
      starts[place(row) + 1] += 1;
    }
    for (let at = 1; at < starts.length; at += 1) {
      starts[at] += starts[at - 1];
    }
    const found = new Uint32Array(this.count);
    for (let row = 0; row < this.count; row += 1) {
      const at = place(row);
      found[starts[at]] = row;
      starts[at] += 1;
    }
    return found;
  }
}
