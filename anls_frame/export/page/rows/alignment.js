// A prediction above its answer: words that belong together, and what differs within them.

const MOST_CELLS = 4_000_000;
const MOST_PAIRS = 400_000;
/** Pairs of characters up to which two words are compared letter by letter. */
const MOST_LETTERS = 10_000;
const FEW_LINES = 3;
/** Words that are shown at once: a browser takes seconds to lay out tens of thousands of them. */
const WORDS_AT_ONCE = 2_000;
/** Characters of a word after which a line may break. */
const LONGEST_PIECE = 40;
const JOINED = /[\p{sc=Arabic}\p{sc=Syriac}\p{sc=Devanagari}\p{sc=Bengali}\p{sc=Thai}]/u;
const TOKENS = /\s|[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]|[\p{L}\p{M}\p{N}]+|[^]/gu;
const CLUSTERS = typeof Intl.Segmenter === "function" ? new Intl.Segmenter("und", { granularity: "grapheme" }) : null;

function clusters(text) {
  return CLUSTERS ? Array.from(CLUSTERS.segment(text), (one) => one.segment) : Array.from(text);
}

/** Return pairs of places with the smallest cost, -1 where one of the two lists has nothing. */
function aligned(first, second, cost, alone) {
  const width = second.length + 1;
  const costs = new Float64Array((first.length + 1) * width);
  for (let j = 1; j < width; j += 1) {
    costs[j] = costs[j - 1] + alone(second[j - 1]);
  }
  for (let i = 1; i <= first.length; i += 1) {
    const leftOut = alone(first[i - 1]);
    costs[i * width] = costs[(i - 1) * width] + leftOut;
    for (let j = 1; j < width; j += 1) {
      costs[i * width + j] = Math.min(
        costs[(i - 1) * width + j - 1] + cost(first[i - 1], second[j - 1]),
        costs[(i - 1) * width + j] + leftOut,
        costs[i * width + j - 1] + alone(second[j - 1]),
      );
    }
  }
  const pairs = [];
  let [i, j] = [first.length, second.length];
  while (i > 0 || j > 0) {
    const here = costs[i * width + j];
    if (i > 0 && j > 0 && here === costs[(i - 1) * width + j - 1] + cost(first[i - 1], second[j - 1])) {
      i -= 1;
      j -= 1;
      pairs.push([i, j]);
    } else if (i > 0 && here === costs[(i - 1) * width + j] + alone(first[i - 1])) {
      i -= 1;
      pairs.push([i, -1]);
    } else {
      j -= 1;
      pairs.push([-1, j]);
    }
  }
  return pairs.reverse();
}

function distance(first, second) {
  let row = Array.from({ length: second.length + 1 }, (_, at) => at);
  for (let i = 1; i <= first.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= second.length; j += 1) {
      next[j] = Math.min(row[j - 1] + (first[i - 1] === second[j - 1] ? 0 : 1), row[j] + 1, next[j - 1] + 1);
    }
    row = next;
  }
  return row[second.length];
}

/** Return what replacing a word costs: its edits, and more than they do if nothing is kept. */
function wordCosts() {
  const known = new Map();
  return (first, second) => {
    if (first === second) {
      return 0;
    }
    if (/\s/u.test(first) !== /\s/u.test(second)) {
      return Infinity;
    }
    if (first.length * second.length > MOST_LETTERS) {
      return Math.max(first.length, second.length);
    }
    const key = `${first}\n${second}`;
    if (!known.has(key)) {
      const [one, other] = [first.toLowerCase(), second.toLowerCase()];
      known.set(key, distance(one, other) + (first === second ? 0 : 0.25));
    }
    return known.get(key);
  };
}

function operation(answer, prediction) {
  if (answer === prediction) {
    return "equal";
  }
  if (answer === "") {
    return "insert";
  }
  return prediction === "" ? "delete" : "replace";
}

/** Whether two words are too long to be compared letter by letter. */
function isTooLong(answer, prediction) {
  return answer.length * prediction.length > MOST_CELLS;
}

/** Return the parts of a word that are equal or differ. */
function partsOfWord(answer, prediction) {
  const whole = [{ operation: operation(answer, prediction), answer, prediction }];
  if (answer === prediction || answer === "" || prediction === "" || JOINED.test(answer + prediction)) {
    return whole;
  }
  if (isTooLong(answer, prediction)) {
    return whole;
  }
  const [first, second] = [clusters(answer), clusters(prediction)];
  const parts = [];
  const pairs = aligned(first, second, (one, other) => (one === other ? 0 : 1), () => 1);
  for (const [i, j] of pairs) {
    const [one, other] = [i < 0 ? "" : first[i], j < 0 ? "" : second[j]];
    const last = parts[parts.length - 1];
    const kind = operation(one, other);
    if (last && last.operation === kind) {
      last.answer += one;
      last.prediction += other;
    } else {
      parts.push({ operation: kind, answer: one, prediction: other });
    }
  }
  const kept = parts.filter((part) => part.operation === "equal").map((part) => part.answer.length);
  const isAnother = 3 * kept.reduce((sum, length) => sum + length, 0) < Math.max(answer.length, prediction.length);
  return isAnother ? whole : parts;
}

/** Return a word as pieces between which a line may break, each with its parts. */
function piecesOfWord(parts) {
  if (parts.every((part) => Math.max(part.answer.length, part.prediction.length) <= LONGEST_PIECE)) {
    return [parts];
  }
  return parts.flatMap((part) => {
    const [answer, prediction] = [clusters(part.answer), clusters(part.prediction)];
    const number = Math.ceil(Math.max(answer.length, prediction.length) / LONGEST_PIECE);
    return Array.from({ length: number }, (_, at) => {
      const piece = (text) => text.slice(at * LONGEST_PIECE, (at + 1) * LONGEST_PIECE).join("");
      return [{ operation: part.operation, answer: piece(answer), prediction: piece(prediction) }];
    });
  });
}

/** Return the words of both texts in pairs, "" where one has none; null if there are too many. */
function alignedWords(answer, prediction) {
  const [first, second] = [answer.match(TOKENS) ?? [], prediction.match(TOKENS) ?? []];
  if (first.length * second.length > MOST_PAIRS) {
    return null;
  }
  const pairs = aligned(first, second, wordCosts(), (word) => word.length);
  return pairs.map(([i, j]) => [i < 0 ? "" : first[i], j < 0 ? "" : second[j]]);
}

/** Return the lines of two long texts in pairs, null where one has none; null if there are too many. */
function alignedLines(answer, prediction) {
  const [first, second] = [answer.split("\n"), prediction.split("\n")];
  if (first.length * second.length > MOST_CELLS / 4) {
    return null;
  }
  const bags = new Map();
  // Pairs of characters, which all scripts have; whitespace is what readers most often get wrong.
  const bag = (line) => {
    if (!bags.has(line)) {
      const letters = line.replace(/\s+/gu, "");
      bags.set(line, new Set(Array.from(letters, (_, at) => letters.slice(at, at + 2))));
    }
    return bags.get(line);
  };
  const cost = (one, other) => {
    if (one === other) {
      return 0;
    }
    const [pairs, others] = [bag(one), bag(other)];
    let shared = 0;
    pairs.forEach((pair) => { shared += others.has(pair) ? 1 : 0; });
    // Lines with less than a quarter in common are lines of their own.
    return 0.1 + 2.6 * (1 - (2 * shared) / (pairs.size + others.size || 1));
  };
  const pairs = aligned(first, second, cost, () => 1);
  return pairs.map(([i, j]) => [i < 0 ? null : first[i], j < 0 ? null : second[j]]);
}

const TAGS = { replace: "mark", insert: "ins", delete: "del" };

function marked(kind, text) {
  if (text === "") {
    return [];
  }
  const shown = visible(text);
  return [kind === "equal" ? shown : element(TAGS[kind], {}, shown.replace(/[ \u00a0\u3000]/g, "␣"))];
}

function wordElement(parts) {
  return element("span", { class: "word" }, ...parts.map((part) => element(
    "span",
    { class: "pair" },
    element("span", { class: "top" }, ...marked(part.operation, part.answer)),
    element("span", { class: "bottom" }, ...marked(part.operation, part.prediction)),
  )));
}

/** Return a place with elements of items until enough words are shown, and a button that appends the next ones. */
function shownInParts(place, items, elementOf, noun) {
  let at = 0;
  const appendNext = () => {
    let words = 0;
    // With each child, browsers look through all texts again for the direction.
    place.removeAttribute("dir");
    while (at < items.length && words < WORDS_AT_ONCE) {
      const made = elementOf(items[at]);
      words += Math.max(1, made.querySelectorAll(".word").length);
      place.append(made);
      at += 1;
    }
    place.setAttribute("dir", "auto");
    button.textContent = `Show more (${counted(items.length - at, noun)} left)`;
    if (at === items.length) {
      button.remove();
    }
  };
  const button = element("button", { type: "button", class: "rest", onclick: appendNext });
  const whole = element("div", {}, place, button);
  appendNext();
  return whole;
}

function noteElement(text) {
  return element("p", { class: "skipped" }, text);
}

/** Return two lines above each other, word by word. */
function shortElement(answer, prediction) {
  const words = alignedWords(answer, prediction);
  if (words === null) {
    return element(
      "div",
      { class: "plain" },
      noteElement("Too many words to align. Answer:"),
      element("p", { dir: "auto" }, visible(answer)),
      noteElement("Prediction:"),
      element("p", { dir: "auto" }, visible(prediction)),
    );
  }
  const place = element("div", { class: "words", "aria-hidden": "true" });
  const pieces = words.flatMap(([one, other]) => piecesOfWord(partsOfWord(one, other)));
  const made = shownInParts(place, pieces, wordElement, "word");
  if (words.some(([one, other]) => one !== other && isTooLong(one, other))) {
    made.prepend(noteElement("Very long words that differ are marked as a whole."));
  }
  return made;
}

/** Return the lines of two texts above each other; equal ones are counted. */
function longElement(answer, prediction) {
  const lines = alignedLines(answer, prediction);
  if (lines === null) {
    return shortElement(answer, prediction);
  }
  const items = [];
  let equal = 0;
  for (const pair of lines) {
    if (pair[0] === pair[1]) {
      equal += 1;
      continue;
    }
    items.push(...(equal ? [equal] : []), pair);
    equal = 0;
  }
  items.push(...(equal ? [equal] : []));
  return shownInParts(element("div", { class: "lines" }), items, (item) => {
    if (typeof item === "number") {
      return noteElement(counted(item, "equal line"));
    }
    const line = shortElement(item[0] ?? "", item[1] ?? "");
    line.classList.toggle("alone", item.includes(null));
    return line;
  }, "line");
}

/** Return two texts above each other, with marks where they differ. */
function alignmentElement(answer, prediction) {
  const lines = Math.max(...[answer, prediction].map((text) => text.split("\n").length));
  const made = lines > FEW_LINES ? longElement(answer, prediction) : shortElement(answer, prediction);
  made.classList.add("aligned");
  return made;
}
