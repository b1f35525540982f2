// A row in full: predictions above their answers, how scores come about, all other columns, the image.

const STEP_NAMES = {
  unicode_form: "Unicode form",
  case: "lower case",
  punctuation: "punctuation",
  whitespace: "whitespace",
};
const LONGEST_QUOTE = 200;
/** Characters of a pair of texts that screen readers read at once. */
const LONGEST_SPOKEN = 2_000;
const SPACE = /[\s\u001c-\u001f\u0085]+/gu;

/** Return a text as the protocol compares it, in code points. */
function prepared(text, protocol) {
  let found = protocol.unicode_form ? text.normalize(protocol.unicode_form) : text;
  if (protocol.ignore_case) {
    found = found.toLowerCase();
  }
  if (protocol.ignore_punctuation) {
    found = found.replace(/\p{P}/gu, "");
    found = protocol.unicode_form ? found.normalize(protocol.unicode_form) : found;
  }
  if (protocol.whitespace === "strip" || protocol.whitespace === "squeeze") {
    found = found.replace(/^[\s\u001c-\u001f\u0085]+|[\s\u001c-\u001f\u0085]+$/gu, "");
  }
  return protocol.whitespace === "squeeze" ? found.replace(SPACE, " ") : found;
}

/** Return both texts as they are compared, if that can be told: if their edits are those that were counted. */
function comparedTexts(answer, prediction, protocol, edits) {
  if (protocol.unit !== "codepoint" || protocol.equivalences.length || protocol.whitespace === "lines") {
    return null;
  }
  const texts = [prepared(answer, protocol), prepared(prediction, protocol)];
  const [first, second] = texts.map((text) => Array.from(text));
  if (first.length * second.length > MOST_CELLS || distance(first, second) !== edits) {
    return null;
  }
  const isShown = texts.every((text) => text !== "" && text.length <= LONGEST_QUOTE);
  return !isShown || (texts[0] === answer && texts[1] === prediction) ? null : texts;
}

class RowView {
  constructor(rows, place, { moved, closed, verdicts, filterOf, selected }) {
    Object.assign(this, { rows, place, moved, closed, verdicts, filterOf, selected });
    this.row = null;
  }

  get protocol() {
    return this.rows.meta.protocol;
  }

  /** Whether the first kept column is a text. */
  get hasQuestion() {
    return isText(this.rows.get("keep_0"));
  }

  close() {
    this.row = null;
    this.place.hidden = true;
    this.place.replaceChildren();
  }

  /** Show a row, the n-th of the selected ones. */
  open(row, at, selected) {
    this.row = row;
    this.place.replaceChildren(
      this.header(row, at, selected),
      this.verdicts.buttons(row),
      element(
        "div",
        { class: "body", tabIndex: -1 },
        ...this.keptFirst(row),
        ...this.together(row).map((systems) => this.ofSystems(row, systems)),
        this.answers(row),
        this.image(row),
        this.others(row),
      ),
    );
    this.place.hidden = false;
  }

  /** Show the verdict of the row again. */
  showVerdict() {
    this.place.querySelector(".verdicts").replaceWith(this.verdicts.buttons(this.row));
  }

  header(row, at, selected) {
    const id = this.rows.value("id", row);
    const name = id === undefined || id === null ? `Row ${grouped(this.rows.number(row))}` : spoken(id);
    const button = (text, title, onclick, disabled) => element("button", {
      type: "button", class: "icon", title, "aria-label": title, disabled, onclick,
    }, text);
    return element(
      "header",
      {},
      element("h2", { dir: "auto" }, name),
      element("span", { class: "place" }, `${grouped(at + 1)} of ${grouped(selected)}`),
      button("↑", "Previous row (k)", () => this.moved(-1), at === 0),
      button("↓", "Next row (j)", () => this.moved(1), at === selected - 1),
      button("✕", "Close (Esc)", () => this.closed(), false),
    );
  }

  /** Return the first kept column, most often the question, as the text that everything is read by. */
  keptFirst(row) {
    if (!this.hasQuestion) {
      return [];
    }
    return [element("p", { class: "question", dir: "auto" }, shownValue(this.rows.value("keep_0", row)))];
  }

  /** Return the numbers of the systems, those together that have the same prediction and scores. */
  together(row) {
    const found = new Map();
    const columns = [...this.rows.columns].filter(([id]) => /^(prediction|type|score_\d+)_/.test(id));
    this.rows.meta.systems.forEach((_, system) => {
      const own = columns.filter(([id]) => id.endsWith(`_${system}`));
      const key = JSON.stringify(own.map(([, column]) => column.value(row)));
      found.set(key, [...(found.get(key) ?? []), system]);
    });
    return [...found.values()];
  }

  ofSystems(row, systems) {
    const { meta } = this.rows;
    const [system] = systems;
    const names = systems.map((number) => meta.systems[number]);
    const prediction = this.rows.value(`prediction_${system}`, row);
    const answer = this.rows.nearest(row, system);
    const scores = meta.metrics.map((metric, number) => {
      const column = this.rows.get(`score_${number}_${system}`);
      const score = column.value(row);
      const change = this.rows.change(number, system, row);
      return element(
        "span",
        { class: "score" },
        `${metric.label} `,
        element("b", {}, score === null ? "–" : column.figure(score)),
        change === null ? null : ` (${signedIn(column, change)})`,
      );
    });
    return element(
      "section",
      { class: "system", "aria-label": `Prediction of ${names.join(", ")}` },
      element(
        "div",
        { class: "line" },
        element("h3", { dir: "auto" }, ...names.flatMap((name, at) => [at ? ", " : null, element("bdi", {}, visible(name))])),
        ...scores,
        typeElement(this.rows.value(`type_${system}`, row), meta.colors),
      ),
      this.pair(answer, prediction),
      this.how(row, system, answer, prediction ?? ""),
    );
  }

  pair(answer, prediction) {
    const { names } = this.rows.meta;
    if (answer === null || !prediction || answer === "") {
      return element(
        "dl",
        { class: "apart" },
        element("dt", {}, names.answer),
        element("dd", { dir: "auto" }, shownValue(answer)),
        element("dt", {}, names.prediction),
        element("dd", { dir: "auto" }, shownValue(prediction)),
      );
    }
    const spokenPair = `${names.answer}: ${answer}; ${names.prediction}: ${prediction}`;
    return element(
      "div",
      { class: "compared" },
      element("div", { class: "sides", "aria-hidden": "true" }, element("span", {}, names.answer), element("span", {}, names.prediction)),
      element("div", { role: "group", "aria-label": shownValue(spokenPair, LONGEST_SPOKEN) }, alignmentElement(answer, prediction)),
    );
  }

  /** Return how the score comes about: edits, length and cut, and what each step of preparation adds. */
  how(row, system, answer, prediction) {
    const value = (name) => this.rows.value(`${name}_${system}`, row) ?? null;
    const [similarity, edits, length, raw] = ["similarity", "edits", "length", "raw"].map(value);
    if (similarity === null || answer === null) {
      return null;
    }
    const { threshold, cut, unit } = this.protocol;
    const units = { codepoint: "edit", grapheme: "grapheme edit", word: "word edit" };
    const sum = edits === 0
      ? "No edits: similarity 1."
      : `${counted(edits, units[unit] ?? "edit")}, length ${grouped(length)}: similarity 1 − ${edits}/${length} = ${figure(similarity)}.`;
    const said = [element("p", {}, sum, threshold === null ? "" : ` ${this.cutText(similarity, threshold, cut)}`)];
    const steps = Object.keys(STEP_NAMES).filter((step) => value(step));
    if (steps.length) {
      const texts = comparedTexts(answer, prediction, this.protocol, edits);
      if (texts !== null) {
        said.push(element("p", {}, "Compared as ", quoted(texts[1]), " with ", quoted(texts[0]), "."));
      }
      const added = steps.map((step) => `${STEP_NAMES[step]} ${signed(value(step))}`);
      said.push(element("p", {}, `Similarity without preparation ${figure(raw)}; ${added.join(", ")}.`));
    }
    return element("div", { class: "how" }, ...said);
  }

  cutText(similarity, threshold, cut) {
    const isKept = cut === "distance" ? similarity > 1 - threshold : similarity >= threshold;
    const rule = cut === "distance" ? `a distance below ${threshold}` : `a similarity of at least ${threshold}`;
    return isKept ? "" : `The threshold requires ${rule}, so the score is 0.`;
  }

  answers(row) {
    const answers = this.rows.get("answers").values(row);
    const nearest = new Set(this.rows.meta.systems.map((_, system) => this.rows.value(`nearest_${system}`, row)));
    const items = answers.map((answer, at) => element(
      "li",
      { dir: "auto", class: nearest.has(at) && answers.length > 1 ? "nearest" : null },
      shownValue(answer),
    ));
    const name = this.rows.meta.names.answer;
    return element(
      "section",
      { class: "answers" },
      element("h3", {}, answers.length > 1 ? `${grouped(answers.length)} accepted ${name}s` : `Accepted ${name}`),
      element("ul", {}, ...items),
    );
  }

  image(row) {
    const address = this.rows.value("image", row);
    if (!address) {
      return null;
    }
    const source = /^[a-z][a-z0-9+.-]+:/i.test(address) ? address : address.split("/").map(encodeURIComponent).join("/");
    const image = element("img", { alt: "Image of the row", loading: "lazy", decoding: "async" });
    image.addEventListener("error", () => {
      image.replaceWith(element("p", { class: "missing" }, `No image at ${visible(address)}`));
    });
    image.addEventListener("click", () => image.classList.toggle("whole"));
    image.src = source;
    return element("figure", {}, image);
  }

  others(row) {
    const { by, keep } = this.rows.meta;
    const named = [
      ...keep.map((name, place) => [name, this.rows.get(`keep_${place}`)]).slice(this.hasQuestion ? 1 : 0),
      ...by.map((name, place) => [name, this.rows.get(`by_${place}`)]),
    ];
    if (!named.length) {
      return null;
    }
    const entries = named.flatMap(([name, column]) => {
      const values = Array.from(column.codesOf(row)).flatMap((code, at) => {
        const value = this.linkedValue(name, column, code);
        return at ? [", ", value] : [value];
      });
      return [element("dt", { dir: "auto" }, visible(name)), element("dd", { dir: "auto" }, ...values)];
    });
    return element("section", {}, element("h3", {}, "Columns"), element("dl", { class: "columns" }, ...entries));
  }

  /** Return a value; one that other rows have too selects them. */
  linkedValue(name, column, code) {
    const filter = this.filterOf(column);
    const shown = shownValue(column.valueOf(code));
    if (!filter || !column.isShared(code)) {
      return shown;
    }
    const title = `Rows with this ${visible(name)}`;
    return element("button", { type: "button", class: "link", dir: "auto", title, onclick: () => this.selected(filter, code) }, shown);
  }
}

function quoted(text) {
  return element("q", { dir: "auto" }, shownValue(text));
}

/** Return a difference as tables show it. */
function signed(number, decimals = null) {
  const size = decimals === null ? figure(Math.abs(number)) : Math.abs(number).toFixed(decimals);
  return number < 0 && Number(size) > 0 ? `-${size}` : `+${size}`;
}

/** Return a difference of a column's numbers; of rates, it is in percentage points. */
function signedIn(column, number, decimals = null) {
  return column.unit ? `${signed(column.scaled(number), 1)} pp` : signed(number, decimals);
}

/** Return an error type with its colour. */
function typeElement(type, colors) {
  const dot = element("i", { class: "dot" });
  if (colors[type]) {
    dot.style.background = colors[type];
  }
  return element("span", { class: "type" }, type === null ? null : dot, type === null ? NO_ANSWER : visible(String(type)));
}
