// Elements of the page. Texts of rows become texts of elements, never markup.

/** Return an element; `on...` are listeners, `class` and names with a hyphen attributes, the rest properties. */
function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  made.append(...children.filter((child) => child !== null && child !== undefined));
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null) {
      continue;
    }
    if (name.startsWith("on")) {
      made.addEventListener(name.slice(2), value);
    } else if (name === "class" || name === "role" || name.includes("-")) {
      made.setAttribute(name, value);
    } else {
      made[name] = value;
    }
  }
  return made;
}

function byId(id) {
  return document.getElementById(id);
}

const MARKS = "\\u00ad\\u061c\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060-\\u2064\\u2066-\\u2069\\ufeff";
const UNSEEN = new RegExp(`[\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\ufdd0-\\ufdef\\ufffe\\uffff${MARKS}]`, "g");

/** Replace what cannot be seen by symbols: ↵ for a line feed, which more fonts have, ⟨U+0085⟩ where there is none. */
function visible(text) {
  return text.replace(UNSEEN, (character) => {
    const code = character.charCodeAt(0);
    if (character === "\n") {
      return "↵";
    }
    if (code < 0x20) {
      return String.fromCharCode(0x2400 + code);
    }
    return code === 0x7f ? "␡" : codeOf(character);
  });
}

function codeOf(character) {
  return `⟨U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`;
}

/** Return a number as tables show it. */
function figure(number) {
  return Number.isInteger(number) ? String(number) : number.toFixed(3);
}

/** Spell out spaces at the ends of a text, which nobody would see. */
function spelledSpace(text) {
  const start = text.length - text.trimStart().length;
  const end = Math.max(text.trimEnd().length, start);
  const spelled = (spaces) => spaces.replace(/\s/g, (space) => (space === " " ? "␣" : codeOf(space)));
  return `${spelled(text.slice(0, start))}${text.slice(start, end)}${spelled(text.slice(end))}`;
}

/** Return a value of a column as text. */
function spoken(value, column = null) {
  if (typeof value !== "number") {
    return spelledSpace(visible(String(value)));
  }
  return column ? column.figure(value, true) : figure(value);
}

/** Return what a cell shows of a value: its text, or a mark where there is none to see. */
function shownValue(value, longest = Infinity, column = null) {
  if (value === null) {
    return element("i", { class: "mark" }, "null");
  }
  if (value === "") {
    return element("i", { class: "mark" }, "empty");
  }
  if (typeof value === "string" && value.length > longest) {
    return spoken(`${value.slice(0, longest)}…`);
  }
  return spoken(value, column);
}

/** Show a value in a cell; most are texts, and to change only these is faster. */
function fill(cell, value, longest, column) {
  const shown = shownValue(value, longest, column);
  const { firstChild: only } = cell;
  if (typeof shown !== "string") {
    cell.replaceChildren(shown);
  } else if (only instanceof Text && cell.lastChild === only) {
    only.data = shown;
  } else {
    cell.textContent = shown;
  }
}

/** Return a count with a thin space between thousands. */
function grouped(number) {
  return number.toLocaleString("en");
}

function counted(number, noun) {
  return `${grouped(number)} ${noun}${number === 1 ? "" : "s"}`;
}
