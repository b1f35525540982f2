"use strict";
document.querySelectorAll("table.sortable").forEach(function (table) {
  var body = table.tBodies[0];
  var heads = Array.prototype.slice.call(table.tHead.rows[0].cells);
  function key(row, at) {
    var cell = row.cells[at];
    if (cell.dataset.v !== undefined) { return Number(cell.dataset.v); }
    return cell.classList.contains("n") || cell.querySelector(".mark") ? null : cell.textContent;
  }
  heads.forEach(function (head, at) {
    if (head.classList.contains("g")) { return; }
    var button = document.createElement("button");
    button.type = "button";
    while (head.firstChild) { button.appendChild(head.firstChild); }
    head.appendChild(button);
    button.addEventListener("click", function () {
      var sorted = head.getAttribute("aria-sort");
      var first = head.classList.contains("n") ? "descending" : "ascending";
      var other = first === "ascending" ? "descending" : "ascending";
      var order = sorted === first ? other : first;
      heads.forEach(function (one) { one.removeAttribute("aria-sort"); });
      head.setAttribute("aria-sort", order);
      var sign = order === "ascending" ? 1 : -1;
      var rows = Array.prototype.slice.call(body.rows).map(function (row, index) {
        return { row: row, value: key(row, at), index: index, top: row.classList.contains("all") };
      });
      rows.sort(function (a, b) {
        if (a.top !== b.top) { return a.top ? -1 : 1; }
        if (a.value === null || b.value === null) {
          return a.value === b.value ? a.index - b.index : a.value === null ? 1 : -1;
        }
        var numbers = typeof a.value === "number" && typeof b.value === "number";
        var by = numbers ? a.value - b.value : String(a.value).localeCompare(String(b.value));
        return by ? sign * by : a.index - b.index;
      });
      // Rows that move one by one within a table of 10,000 keep Chromium busy for a minute.
      body.replaceChildren();
      rows.forEach(function (one) { body.appendChild(one.row); });
    });
  });
});

// The signature is copied without what is next to it.
document.querySelectorAll(".sign code").forEach(function (text) {
  var button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  text.after(" ", button);
  button.addEventListener("click", function () {
    var selection = getSelection();
    selection.selectAllChildren(text);
    document.execCommand("copy");
    selection.removeAllRanges();
    button.textContent = "Copied";
  });
});

// What is folded away cannot be unfolded on paper; long tables of what a matrix shows stay so.
addEventListener("beforeprint", function () {
  document.querySelectorAll("details:not(.folded)").forEach(function (details) { details.open = true; });
});
