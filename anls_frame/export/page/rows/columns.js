// The columns of the list: what each shows of a row, and how much room it has.

const LONGEST_CELL = 300;
/** Pixels that a kind of column needs at least, and its share of what is left. */
const ROOMS = {
  mark: [26, 0], id: [56, 0], figure: [70, 0], wide: [92, 0], right: [124, 0], type: [124, 0], text: [150, 2], value: [90, 1],
  asked: [220, 3], one: [92, 1],
};
/** With up to this number of systems, predictions are before the answer; those of more are narrow, and after it. */
const FEW_SYSTEMS = 3;
/** Where there is no room for all columns, texts get along with less. */
const NARROW = { text: 84, asked: 120 };
/** Pixels of a letter of an id, and of a heading. */
const LETTER = 9.2;
const HEADING_LETTER = 8;
const SORTED = " ↑";
/** Share of a heading that its longer line has, of two. */
const LONGER_LINE = 0.6;
const PADDING = 16;
const WIDEST_ID = 140;
const WIDEST_HEADING = 140;

/** Return the columns of the list, those first that tell most about a row. */
function listColumns(rows, verdicts) {
  const { meta } = rows;
  const several = meta.systems.length > 1;
  const made = [];
  const add = (id, title, kind, own) => {
    const column = rows.get(id);
    if (column) {
      made.push({ id, title, kind, column, fill: own ?? ((cell, row) => fillValues(cell, column, row)) });
    }
  };
  const addScores = () => meta.systems.forEach((name, system) => meta.metrics.forEach((metric, number) => {
    const title = rows.ofSystem(metric.label, system);
    add(`score_${number}_${system}`, title, `${several ? "wide " : ""}figure score${number ? " spare" : ""}`);
  }));
  const addKept = (name, place) => {
    const isQuestion = place === 0 && isText(rows.get("keep_0"));
    const kind = rows.get(`keep_${place}`).isNumeric ? "figure" : "text";
    add(`keep_${place}`, name, isQuestion ? "asked text" : `${kind} extra`);
  };
  made.push({ id: "verdict", title: "verdict", kind: "mark", fill: (cell, row) => fillVerdict(cell, verdicts, row) });
  add("id", "id", "id");
  add("change", "change", "figure change spare", (cell, row) => {
    const change = rows.value("change", row);
    cell.textContent = change === null ? "–" : signedIn(rows.get("change"), change, 3);
  });
  if (!several) {
    addScores();
    add("type_0", "error type", "type spare", (cell, row) => {
      const type = rows.value("type_0", row);
      if (cell.type !== type) {
        cell.type = type;
        cell.replaceChildren(typeElement(type, meta.colors));
      }
    });
  }
  const addPredictions = (kind) => meta.systems.forEach((name, system) => (
    add(`prediction_${system}`, several ? name : meta.names.prediction, kind)
  ));
  const addAnswer = () => add("answers", meta.names.answer, "text answer", (cell, row) => fill(cell, rows.nearest(row, 0), LONGEST_CELL));
  const addRight = () => add("right", "right", "right spare", (cell, row) => (
    fill(cell, rows.value("right", row) ?? NO_ANSWER, LONGEST_CELL)
  ));
  const addFirstKept = () => meta.keep.slice(0, 1).forEach(addKept);
  if (meta.systems.length > FEW_SYSTEMS) {
    addFirstKept();
    addAnswer();
    addPredictions("one prediction spare");
    addRight();
  } else {
    addPredictions("text prediction");
    addAnswer();
    addFirstKept();
    addRight();
  }
  if (several) {
    addScores();
  }
  meta.keep.forEach((name, place) => (place ? addKept(name, place) : null));
  meta.by.forEach((name, place) => add(`by_${place}`, name, "value extra"));
  return made;
}

/** Whether a column is of texts, as questions are. */
function isText(column) {
  return column !== undefined && !column.lists && !column.isNumeric;
}

function fillValues(cell, column, row) {
  if (!column.lists) {
    fill(cell, column.value(row), LONGEST_CELL, column);
    return;
  }
  cell.replaceChildren(...column.values(row).flatMap((value, at) => (
    at ? [", ", shownValue(value, LONGEST_CELL)] : [shownValue(value, LONGEST_CELL)]
  )));
}

function fillVerdict(cell, verdicts, row) {
  const code = verdicts.column.codes[row];
  if (!code && !cell.textContent) {
    return;
  }
  cell.textContent = code ? verdictKey(verdicts.names[code - 1], code - 1) : "";
  cell.title = code ? verdictName(verdicts.names[code - 1]) : "";
}

/** Return the parts of a heading between which it may break: "question_types" after the underscore. */
function headingParts(title) {
  return title.split(/(?<=[\s_/-])/);
}

/** Return the pixels in which a heading has two lines that break between its parts, with the arrow of a sorted column. */
function roomOfHeading(title) {
  const letters = headingParts(title).reduce(
    (most, part) => Math.max(most, part.trim().length), LONGER_LINE * title.length,
  );
  return letters ? Math.min(WIDEST_HEADING, PADDING + HEADING_LETTER * (letters + SORTED.length)) : 0;
}

/** Return the pixels of the longest value of a column; letters of East Asia are twice as wide. */
function roomOfValues(column) {
  column.letters ??= column.pool.reduce((most, value) => (
    Math.max(most, String(value).replace(/[\u1100-\uffff]/g, "xx").length)
  ), 2);
  return PADDING + LETTER * column.letters;
}

/** Return the pixels that a column needs, and its share of what is left. */
function roomOf({ title, kind, column }, isNarrow) {
  const [first] = kind.split(" ");
  // A unit needs room as well: "100.0 %", "+100.0 pp".
  const [usual, share] = ROOMS[column?.unit ? "wide" : first];
  // The heading of a mark is there for screen readers.
  const ofHeading = first === "mark" ? 0 : roomOfHeading(title);
  if (first === "id") {
    return [Math.min(WIDEST_ID, Math.max(usual, ofHeading, roomOfValues(column))), share];
  }
  // What else is known of rows leaves the room that it does not need to their texts.
  const needed = /extra|asked/.test(kind) && !column.lists ? roomOfValues(column) : Infinity;
  const least = Math.max(Math.min(usual, needed), ofHeading);
  const room = isNarrow ? Math.min(NARROW[first] ?? least, least) : least;
  return [room, needed <= room ? 0 : share];
}

/** Give columns the room that they need, and their share of the rest; return those that there is room for. */
function layOutColumns(columns, { table, width, isOpen }) {
  const isExtra = ({ kind }) => /extra/.test(kind);
  let shown = columns.filter((column) => !(isOpen && isExtra(column)));
  let rooms = shown.map((column) => roomOf(column, false));
  const least = (all) => all.reduce((sum, [room]) => sum + room, 0);
  const fits = (all) => least(all) <= width - PADDING;
  const narrow = (all) => all.map((column) => roomOf(column, true));
  const isTooWide = () => isOpen && !fits(rooms);
  const leaveOut = (kinds) => {
    shown = shown.filter(({ kind }) => !kinds.test(kind));
    rooms = narrow(shown);
  };
  // Rather than the last columns, the ends of texts are cut, which their row shows.
  const needed = [/extra/, /extra|spare/].map((kinds) => shown.filter(({ kind }) => !kinds.test(kind)))
    .find((some) => fits(narrow(some)));
  if (!isOpen && !fits(rooms) && needed) {
    // What else is known of a row is in its filters and in the open row, too.
    const kept = shown.filter((column) => !needed.includes(column)).reduce((some, column) => (
      fits(narrow([...some, column])) ? [...some, column] : some
    ), needed);
    shown = shown.filter((column) => kept.includes(column));
    rooms = narrow(shown);
  }
  if (isTooWide()) {
    leaveOut(/spare/);
  }
  if (isTooWide()) {
    leaveOut(/score/);
  }
  const shares = rooms.reduce((sum, [, share]) => sum + share, 0) || 1;
  const left = Math.max(0, width - PADDING - least(rooms));
  // Lengths, because a window full of rows is laid out much faster by them than by shares.
  const tracks = rooms.map(([room, share]) => `${Math.floor(room + (left * share) / shares)}px`);
  table.style.setProperty("--columns", tracks.join(" "));
  table.style.setProperty("--width", `${PADDING + Math.ceil(least(rooms))}px`);
  // On a phone, the texts share a line of twelve parts.
  const texts = columns.filter(({ kind }) => /prediction|answer/.test(kind) && !/spare/.test(kind)).length;
  table.style.setProperty("--text-span", Math.max(1, Math.floor(12 / texts)));
  table.classList.toggle("without-question", !columns.some(({ kind }) => /asked/.test(kind)));
  return shown;
}
