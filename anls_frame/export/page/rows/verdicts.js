// What a reader says of rows: kept by the browser, saved as JSON Lines, read by `read_verdicts`.

/** How often verdicts can be undone. */
const MOST_UNDONE = 100;

function verdictName(verdict) {
  return verdict.replace("_", " ");
}

/** The key of a verdict: its place, at least 1, or 0 for a right score, which is most often given. */
function verdictKey(verdict, at) {
  return verdict === "score_right" ? "0" : String(at + 1);
}

/** Return the digest of texts that `read_verdicts` checks: FNV-1a, 64 bits in two halves, of their JSON. */
function digestOf(texts) {
  let [high, low] = [0xcbf29ce4, 0x84222325];
  for (const byte of new TextEncoder().encode(JSON.stringify(texts))) {
    // Times 2 ** 40 + 0x1b3; what is beyond 32 bits of the lower half is carried.
    const last = (low ^ byte) >>> 0;
    const product = last * 0x1b3;
    low = product >>> 0;
    high = (high * 0x1b3 + Math.floor(product / 2 ** 32) + ((last << 8) >>> 0)) >>> 0;
  }
  return [high, low].map((half) => half.toString(16).padStart(8, "0")).join("");
}

class Verdicts {
  constructor(rows, changed) {
    this.rows = rows;
    this.changed = changed;
    this.names = rows.meta.verdicts;
    this.key = `anls_frame verdicts ${rows.meta.key}`;
    this.column = new Column(new Array(rows.count).fill(0), this.names, false);
    this.saved = this.column.codes.slice();
    this.isKept = true;
    this.done = [];
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
    this.give([row], this.of(row) === verdict ? null : verdict);
  }

  /** Give rows a verdict; null takes theirs back. */
  give(rows, verdict) {
    const { codes } = this.column;
    const code = verdict === null ? 0 : this.names.indexOf(verdict) + 1;
    this.done.push({ rows: Uint32Array.from(rows), before: Uint8Array.from(rows, (row) => codes[row]), verdict });
    this.done.splice(0, this.done.length - MOST_UNDONE);
    rows.forEach((row) => { codes[row] = code; });
    this.store();
    this.changed(this.last);
  }

  /** Return what `undo` would take back; null if there is nothing. */
  get last() {
    if (this.done.length === 0) {
      return null;
    }
    const { rows, verdict } = this.done.at(-1);
    return `${verdict === null ? "no verdict" : verdictName(verdict)} on ${counted(rows.length, this.rows.meta.names.row)}`;
  }

  /** Give the rows that were judged last what they had before. */
  undo() {
    const { last } = this;
    if (last === null) {
      return;
    }
    const { rows, before } = this.done.pop();
    rows.forEach((row, at) => { this.column.codes[row] = before[at]; });
    this.store();
    this.changed(`undone: ${last}`);
  }

  /** Read what the browser has kept: of each verdict the numbers of its rows. */
  load() {
    let kept = {};
    try {
      kept = JSON.parse(localStorage.getItem(this.key) ?? "{}");
    } catch {
      // A page within another one may not keep anything, or the browser has kept something else.
    }
    this.add(kept);
  }

  /** Give verdicts to rows that have none, from the numbers of the rows of each. */
  add(numbers) {
    const codes = new Map(this.names.flatMap((name, at) => (numbers[name] ?? []).map((number) => [number, at + 1])));
    for (let row = 0; row < this.rows.count; row += 1) {
      this.column.codes[row] ||= codes.get(this.rows.number(row)) ?? 0;
    }
  }

  /** Take verdicts from the kernel of a notebook; those of this reader stay. */
  take(numbers) {
    this.add(numbers);
    this.store();
    this.changed("");
  }

  /** Return the numbers of the rows of each verdict. */
  numbers() {
    return Object.fromEntries(this.names.map((name, at) => [
      name, this.given().filter((row) => this.column.codes[row] === at + 1).map((row) => this.rows.number(row)),
    ]));
  }

  store() {
    try {
      localStorage.setItem(this.key, JSON.stringify(this.numbers()));
      this.isKept = true;
    } catch {
      // They can still be saved as a file.
      this.isKept = false;
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
      // Left out where a page has none.
      system: rows.value("system", row),
      epoch: rows.value("epoch", row),
      row: rows.number(row),
      verdict: this.of(row),
      score: rows.meta.metrics[0].name,
      digest: digestOf([predictions.map((column) => column.value(row)), rows.get("answers").given(row)]),
    })}\n`).join("");
  }

  /** Whether all verdicts are in the file that was saved last. */
  get isSaved() {
    return this.column.codes.every((code, row) => code === this.saved[row]);
  }

  /** Save them; then call `saved`. */
  save(saved) {
    const codes = this.column.codes.slice();
    saveFile("verdicts.jsonl", this.lines(), "application/x-ndjson", () => {
      this.saved = codes;
      saved();
    });
  }

  /** Return the buttons that give a row its verdict. */
  buttons(row) {
    const buttons = this.names.map((verdict, at) => element("button", {
      type: "button",
      class: "verdict",
      "aria-pressed": String(this.of(row) === verdict),
      onclick: () => this.toggle(row, verdict),
    }, element("kbd", {}, verdictKey(verdict, at)), ` ${verdictName(verdict)}`));
    return element("div", { class: "verdicts", role: "group", "aria-label": "Verdict" }, ...buttons);
  }
}

/** The menu that gives all selected rows one verdict. */
class MarkMenu extends Menu {
  constructor(place, verdicts, selected) {
    super(place, "Mark all", () => this.show());
    Object.assign(this, { verdicts, selected });
    this.said = element("p", { role: "status" });
    const button = (verdict, ...text) => element("button", { type: "button", onclick: () => this.mark(verdict) }, ...text);
    const buttons = verdicts.names.map((verdict, at) => (
      button(verdict, element("kbd", {}, verdictKey(verdict, at)), ` ${verdictName(verdict)}`)
    ));
    this.none = button(null, element("kbd", {}, "-"), " no verdict");
    this.content.append(this.said, ...buttons, this.none);
  }

  /** Open it, with the focus on the first verdict. */
  open() {
    this.place.open = true;
    this.show();
    this.content.querySelector("button:enabled")?.focus();
  }

  /** Say how many rows there are, and how many verdicts would be replaced. */
  show() {
    const rows = this.selected();
    const judged = rows.reduce((sum, row) => sum + (this.verdicts.of(row) === null ? 0 : 1), 0);
    const more = judged ? `; replaces ${counted(judged, "verdict")}` : "";
    const { row } = this.verdicts.rows.meta.names;
    this.said.textContent = `Mark all ${counted(rows.length, `matching ${row}`)}${more}`;
    this.content.querySelectorAll("button").forEach((one) => { one.disabled = rows.length === 0; });
    this.none.disabled = judged === 0;
  }

  mark(verdict) {
    this.close();
    const rows = this.selected();
    if (rows.length) {
      this.verdicts.give(rows, verdict);
    }
  }
}

/** Say in the help which key gives which verdict. */
function verdictKeys(names) {
  return names.flatMap((verdict, at) => [
    element("dt", {}, element("kbd", {}, verdictKey(verdict, at))),
    element("dd", {}, verdictName(verdict)),
  ]);
}
