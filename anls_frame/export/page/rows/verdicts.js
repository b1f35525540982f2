// What a reader says of rows: kept by the browser, saved as JSON Lines, read by `read_verdicts`.

function verdictName(verdict) {
  return verdict.replace("_", " ");
}

/** Return the digest of texts that `read_verdicts` checks: FNV-1a, 64 bits, of their JSON. */
function digestOf(texts) {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(JSON.stringify(texts))) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return hash.toString(16).padStart(16, "0");
}

class Verdicts {
  constructor(rows, changed) {
    this.rows = rows;
    this.changed = changed;
    this.saved = "";
    this.names = rows.meta.verdicts;
    this.key = `anls_frame verdicts ${rows.meta.key}`;
    this.column = new Column(new Array(rows.count).fill(0), this.names, false);
    this.load();
  }

  get count() {
    return this.column.codes.reduce((sum, code) => sum + (code ? 1 : 0), 0);
  }

  of(row) {
    return this.column.value(row);
  }

  /** Give a row a verdict, or take it back if the row has this one. */
  toggle(row, verdict) {
    const code = this.names.indexOf(verdict) + 1;
    this.column.codes[row] = this.column.codes[row] === code ? 0 : code;
    this.store();
    this.changed(row);
  }

  /** Read what the browser has kept, by the numbers of rows. */
  load() {
    let kept = {};
    try {
      kept = JSON.parse(localStorage.getItem(this.key) ?? "{}");
    } catch {
      // The browser keeps nothing for this page, or something else.
    }
    for (let row = 0; row < this.rows.count; row += 1) {
      this.column.codes[row] = this.names.indexOf(kept[this.rows.number(row)]) + 1;
    }
  }

  store() {
    try {
      localStorage.setItem(this.key, JSON.stringify(Object.fromEntries(this.given().map((row) => [
        this.rows.number(row), this.of(row),
      ]))));
    } catch {
      // They can still be saved as a file.
    }
  }

  given() {
    return Array.from(this.column.codes.keys()).filter((row) => this.column.codes[row]);
  }

  /** Return the verdicts as JSON Lines. */
  lines() {
    const { rows } = this;
    const predictions = rows.meta.systems.map((_, system) => rows.get(`prediction_${system}`));
    return this.given().map((row) => `${JSON.stringify({
      id: rows.value("id", row) ?? null,
      row: rows.number(row),
      verdict: this.of(row),
      digest: digestOf([predictions.map((column) => column.value(row)), rows.get("answers").given(row)]),
    })}\n`).join("");
  }

  /** Whether all verdicts are in the file that was saved last. */
  get isSaved() {
    return this.saved === this.written();
  }

  /** Return what each row was given, which changes with any of it. */
  written() {
    return this.given().map((row) => `${row} ${this.of(row)}`).join();
  }

  save() {
    saveFile("verdicts.jsonl", this.lines(), "application/x-ndjson");
    this.saved = this.written();
  }

  /** Return the buttons that give a row its verdict. */
  buttons(row) {
    const buttons = this.names.map((verdict, at) => element("button", {
      type: "button",
      class: "verdict",
      "aria-pressed": String(this.of(row) === verdict),
      onclick: () => this.toggle(row, verdict),
    }, element("kbd", {}, String(at + 1)), ` ${verdictName(verdict)}`));
    return element("div", { class: "verdicts", role: "group", "aria-label": "Verdict" }, ...buttons);
  }
}

/** Say in the help which key gives which verdict. */
function verdictKeys(names) {
  return names.flatMap((verdict, at) => [
    element("dt", {}, element("kbd", {}, String(at + 1))),
    element("dd", {}, verdictName(verdict)),
  ]);
}
