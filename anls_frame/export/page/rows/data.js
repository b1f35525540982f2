// The rows: compressed columns of the page, unpacked once.

/** Return the content of a part: JSON, compressed by gzip, in base64. */
async function unpacked(part) {
  const text = atob(byId(`part-${part}`).textContent.trim());
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) {
    bytes[at] = text.charCodeAt(at);
  }
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const content = await new Response(stream).json();
  return Array.isArray(content) ? content : summed(content.steps);
}

/** Return numbers from the steps between them. */
function summed(steps) {
  let last = 0;
  return steps.map((step) => {
    last += step;
    return last;
  });
}

/** A column: for each row the code of a value in the pool, or those of a list; 0 is null. */
class Column {
  constructor(codes, pool, lists) {
    this.pool = pool;
    this.lists = lists;
    this.rows = codes.length;
    this.codes = null;
    // "%" or "pp" of a rate, or of a change of one, which are shown times 100.
    this.unit = "";
    // Numbers below each other have the same number of decimals.
    this.isFractional = pool.some((value) => typeof value === "number" && !Number.isInteger(value));
    if (!lists) {
      this.codes = Uint32Array.from(codes);
      return;
    }
    this.starts = new Uint32Array(codes.length + 1);
    this.lengths = new Int32Array(codes.length);
    const flat = [];
    codes.forEach((entry, row) => {
      this.lengths[row] = Array.isArray(entry) ? entry.length : -1;
      // A row without entries is selected by null.
      const own = Array.isArray(entry) && entry.length ? entry : [0];
      for (const code of own) {
        flat.push(code);
      }
      this.starts[row + 1] = flat.length;
    });
    this.entries = Uint32Array.from(flat);
  }

  /** Return the code that a row is sorted by. */
  code(row) {
    return this.lists ? this.entries[this.starts[row]] : this.codes[row];
  }

  /** Return the codes of a row. */
  codesOf(row) {
    return this.lists ? this.entries.subarray(this.starts[row], this.starts[row + 1]) : [this.codes[row]];
  }

  /** Return the values of a row as the frame has them, an empty list and null included. */
  given(row) {
    if (!this.lists) {
      return this.value(row);
    }
    const length = this.lengths[row];
    return length < 0 ? null : this.values(row).slice(0, length);
  }

  /** Whether any entry of a row has a code that is wanted. */
  hasAny(row, isWanted) {
    if (!this.lists) {
      return isWanted[this.codes[row]] === 1;
    }
    for (let at = this.starts[row]; at < this.starts[row + 1]; at += 1) {
      if (isWanted[this.entries[at]] === 1) {
        return true;
      }
    }
    return false;
  }

  /** Count a row for each of its values; an entry that a list has twice is one value. */
  countIn(row, found) {
    if (!this.lists) {
      found[this.codes[row]] += 1;
      return;
    }
    const first = this.starts[row];
    for (let at = first; at < this.starts[row + 1]; at += 1) {
      const code = this.entries[at];
      const seen = this.entries.indexOf(code, first);
      found[code] += seen === at ? 1 : 0;
    }
  }

  /** Whether several rows have the value of a code. */
  isShared(code) {
    const codes = this.lists ? this.entries : this.codes;
    const first = codes.indexOf(code);
    return first >= 0 && codes.indexOf(code, first + 1) >= 0;
  }

  value(row) {
    return this.valueOf(this.code(row));
  }

  valueOf(code) {
    return code === 0 ? null : this.pool[code - 1];
  }

  values(row) {
    return Array.from(this.codesOf(row), (code) => this.valueOf(code));
  }

  /** Return a number as people read it; one below others has as many decimals as they have. */
  figure(number, isBelowOthers = false) {
    if (this.unit) {
      return `${this.scaled(number).toFixed(1)} ${this.unit}`;
    }
    return isBelowOthers && this.isFractional ? number.toFixed(3) : figure(number);
  }

  /** What numbers are multiplied by where people read and type them. */
  get scale() {
    return this.unit ? 100 : 1;
  }

  /** Return a number as people type it, without digits that come from the multiplication. */
  scaled(number) {
    return Number((this.scale * number).toPrecision(12));
  }

  get isNumeric() {
    return this.pool.length > 0 && this.pool.every((value) => typeof value === "number");
  }
}

/** All columns by name, and what the page says about them. */
class Rows {
  static async read() {
    const meta = JSON.parse(byId("meta").textContent);
    const parts = new Map();
    const part = (number) => {
      if (!parts.has(number)) {
        parts.set(number, unpacked(number));
      }
      return parts.get(number);
    };
    const columns = await Promise.all(
      Object.entries(meta.columns).map(async ([name, column]) => {
        const [codes, pool] = await Promise.all([part(column.codes), part(column.pool)]);
        return [name, new Column(codes, pool, column.lists)];
      }),
    );
    return new Rows(meta, new Map(columns));
  }

  constructor(meta, columns) {
    this.meta = meta;
    this.columns = columns;
    this.count = meta.rows;
    columns.forEach((column, name) => {
      const found = /^(?:score_(\d+)_|change)/.exec(name);
      if (found && meta.metrics[found[1] ?? 0].percent) {
        column.unit = found[1] ? "%" : "pp";
      }
    });
  }

  get(name) {
    return this.columns.get(name);
  }

  /** Return the value of a row in a column; undefined if there is no such column. */
  value(name, row) {
    return this.columns.get(name)?.value(row);
  }

  /** Return the number of a row in the frame. */
  number(row) {
    return this.value("row", row) ?? row;
  }

  /** Return what something is called: with the name of its system, unless there is only one. */
  ofSystem(name, system, separator = " ") {
    const { systems } = this.meta;
    return systems.length > 1 ? `${name}${separator}${systems[system]}` : name;
  }

  /** Return the difference of a score from that of the first system, rounded; null without both, or of the first. */
  change(metric, system, row) {
    const [first, own] = [0, system].map((number) => this.value(`score_${metric}_${number}`, row));
    return system === 0 || first === null || own === null ? null : Number((own - first).toFixed(9));
  }

  /** Return the answer that is nearest to the prediction of a system; without one, the first. */
  nearest(row, system) {
    const answers = this.get("answers").values(row);
    return answers[this.value(`nearest_${system}`, row) ?? 0] ?? null;
  }
}
