// The active filters above the list: what each wants of a row, with a button that takes it away. What an address asks
// for in vain is listed below them.

const NAMED_VALUES = 3;
const LONGEST_NAME = 40;
const LONGEST_ADDRESS = 200;

/** Return a value as the filters name it. */
function namedValue(filter, value) {
  if (value === null) {
    return filter.nothing ?? "null";
  }
  const text = value === "" ? "empty" : filter.called?.(value) ?? spoken(value);
  return text.length > LONGEST_NAME ? `${text.slice(0, LONGEST_NAME)}…` : text;
}

/** Return what a filter wants of a row, without its name. */
function wantedText(filter) {
  if (filter.kind === "search") {
    return `“${visible(filter.text)}”`;
  }
  if (filter.kind === "range") {
    const what = filter.id.startsWith("score_") ? "a score" : "a value";
    if (filter.isWithout) {
      return `without ${what}`;
    }
    const numbers = filter.column.pool;
    const said = (number) => filter.column.figure(number);
    const low = filter.low === null || filter.low <= numbers[0] ? null : filter.low;
    const high = filter.high === null || filter.high >= numbers[numbers.length - 1] ? null : filter.high;
    if (low === null && high === null) {
      // Only rows without one are left out.
      return `with ${what}`;
    }
    if (low !== null && high !== null) {
      return low === high ? said(low) : `${said(low)} to ${said(high)}`;
    }
    return low === null ? `at most ${said(high)}` : `at least ${said(low)}`;
  }
  const values = [...filter.wanted].map((code) => namedValue(filter, filter.column.valueOf(code)));
  const more = values.length - NAMED_VALUES;
  return more > 0 ? `${values.slice(0, NAMED_VALUES).join(" or ")} or ${grouped(more)} more` : values.join(" or ");
}

/** Return the button that takes a filter away. */
function activeButton(filter, removed) {
  const text = wantedText(filter);
  return element(
    "button",
    {
      type: "button",
      class: "active",
      title: `Remove: ${visible(filter.name)}: ${text}`,
      "aria-label": `Remove the filter ${visible(filter.name)}: ${text}`,
      onclick: () => removed(filter),
    },
    element("bdi", {}, visible(filter.name)),
    ": ",
    element("bdi", {}, text),
    element("span", { class: "cross", "aria-hidden": "true" }, "×"),
  );
}

/** Show the active filters; the focus stays on them while there are any. */
function showActive(place, filters, removed) {
  const had = place.contains(document.activeElement);
  const active = filters.filter((filter) => filter.isActive);
  place.replaceChildren(...active.map((filter) => element("li", {}, activeButton(filter, removed))));
  if (had) {
    (place.querySelector("button") ?? byId("list")).focus();
  }
  return active.length;
}

/** Say what an address asks for that the page does not have; nothing is said of nothing. */
function showUnknown(place, unknown) {
  const asked = unknown.join(", ");
  const text = asked.length > LONGEST_ADDRESS ? `${asked.slice(0, LONGEST_ADDRESS)}…` : asked;
  place.hidden = unknown.length === 0;
  place.replaceChildren(
    "This address asks for ",
    element("bdi", {}, visible(text)),
    ", which this page does not have. That part is ignored.",
  );
}
