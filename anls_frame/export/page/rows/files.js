// The selected rows as files, and their ids for the clipboard.

const COPIED = 2_500;
/** Characters that start a formula in spreadsheets, as in `anls_frame.export.delimited`. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/u;

/** Whether a page around this one gives it no place in the browser; then it most often may not save files either. */
function isConfined() {
  if (window.parent === window) {
    return false;
  }
  try {
    return window.localStorage === null;
  } catch {
    return true;
  }
}

/** Save a text as a file of the reader, or show it to be copied; then call `saved`. */
function saveFile(name, text, type, saved = () => {}) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
  if (isConfined()) {
    showText(name, text, saved);
  } else {
    saved();
  }
}

/** Show the text of a file that the browser may not have saved. */
function showText(name, text, copied) {
  const field = element("textarea", { value: text, readOnly: true, rows: 12, "aria-label": name });
  const said = element("span", { role: "status" });
  const copy = element("button", {
    type: "button",
    onclick: () => {
      field.select();
      const isCopied = document.execCommand("copy");
      said.textContent = isCopied ? " copied" : " Copying failed. Press Ctrl+C.";
      if (isCopied) {
        copied();
      }
    },
  }, "Copy");
  const close = element("button", { class: "icon", type: "button", "aria-label": "Close", onclick: () => dialog.close() }, "✕");
  const dialog = element(
    "dialog",
    { "aria-label": name, onclose: () => dialog.remove() },
    element("header", {}, element("h2", {}, name), close),
    element("p", {}, "The page that embeds this one may block downloads. If no file was saved, copy this text into one:"),
    field,
    element("p", {}, copy, said),
  );
  document.body.append(dialog);
  dialog.showModal();
  field.select();
}

/** Copy a text; return whether the browser did. */
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Older browsers, and pages within others, copy what is selected.
    const field = element("textarea", { value: text, "aria-hidden": "true" });
    document.body.append(field);
    field.select();
    const isCopied = document.execCommand("copy");
    field.remove();
    return isCopied;
  }
}

/** Return the ids of rows, or their numbers, each in a line. */
function idsOf(rows, selected) {
  return Array.from(selected, (row) => `${rows.value("id", row) ?? rows.number(row)}\n`).join("");
}

/** Return the columns of a file: their names, each of which is there once, and what gives their values. */
function fileColumns(rows, verdicts) {
  const { meta } = rows;
  const found = new Map();
  const add = (name, value) => {
    let free = name;
    while (found.has(free)) {
      free += "_";
    }
    found.set(free, value);
  };
  const addColumn = (name, id) => {
    const column = rows.get(id);
    if (column) {
      add(name, (row) => column.given(row));
    }
  };
  add("row", (row) => rows.number(row));
  addColumn("id", "id");
  meta.systems.forEach((_, system) => addColumn(rows.ofSystem("prediction", system), `prediction_${system}`));
  addColumn("answers", "answers");
  meta.systems.forEach((_, system) => {
    meta.metrics.forEach((metric, number) => addColumn(rows.ofSystem(metric.name, system), `score_${number}_${system}`));
    addColumn(rows.ofSystem("error_type", system), `type_${system}`);
  });
  addColumn("right", "right");
  addColumn("predictions", "same");
  meta.systems.forEach((_, system) => addColumn(rows.ofSystem("change", system), `change_${system}`));
  add("verdict", (row) => verdicts.of(row));
  meta.keep.forEach((name, place) => addColumn(name, `keep_${place}`));
  meta.by.forEach((name, place) => addColumn(name, `by_${place}`));
  return [...found];
}

/** Return rows as JSON Lines. */
function jsonLines(columns, selected) {
  return Array.from(selected, (row) => (
    `${JSON.stringify(Object.fromEntries(columns.map(([name, value]) => [name, value(row)])))}\n`
  )).join("");
}

/** Return rows as CSV, as other files of anls_frame have it: lists as JSON, and no text is a formula. */
function csvLines(columns, selected) {
  const line = (values) => `${values.map(csvField).join(",")}\n`;
  const lines = Array.from(selected, (row) => line(columns.map(([, value]) => value(row))));
  return line(columns.map(([name]) => name)) + lines.join("");
}

/** Return a value as a field: null is empty, an empty text is quoted. */
function csvField(value) {
  if (value === null || value === undefined) {
    return "";
  }
  let text = Array.isArray(value) ? JSON.stringify(value) : String(value);
  if (typeof value === "string" && FORMULA.test(text)) {
    text = `'${text}`;
  }
  const needsQuotes = text === "" || text !== text.trim() || /[,"\r\n\ufeff]/.test(text);
  return needsQuotes ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The menu that copies and saves the selected rows. */
class FilesMenu extends Menu {
  constructor(place, rows, verdicts, selected) {
    super(place, "Copy or save");
    const said = element("span", { role: "status" });
    const ids = rows.get("id") ? "ids" : "row numbers";
    const button = (text, act) => element("button", { type: "button", onclick: act }, text);
    const save = (name, type, text) => button(`Save as ${type}`, () => {
      saveFile(`rows.${name}`, text(fileColumns(rows, verdicts), selected()), "text/plain");
      this.close();
    });
    this.content.append(
      button(`Copy ${ids}`, async () => {
        const isCopied = await copyText(idsOf(rows, selected()));
        said.textContent = isCopied ? `${grouped(selected().length)} copied` : "Copying failed.";
        setTimeout(() => { said.textContent = ""; }, COPIED);
      }),
      said,
      save("jsonl", "JSON Lines", jsonLines),
      save("csv", "CSV", csvLines),
    );
  }
}
