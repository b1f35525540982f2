"""The style sheet and the script of the HTML report. The report works without the script."""

from __future__ import annotations

import base64
import hashlib

__all__ = ["SCRIPT", "SCRIPT_DIGEST", "STYLE"]

STYLE = """
:root { color-scheme: light dark;
  --page: #ffffff; --ink: #1b1f24; --soft: #59636e; --line: #d5dae0; --stripe: #f5f7f9; --accent: #0072b2;
  --below: #aab2bd; --mark: #8250a0; }
@media (prefers-color-scheme: dark) { :root {
  --page: #14171b; --ink: #e4e8ec; --soft: #9aa5b1; --line: #353c45; --stripe: #1b2026; --accent: #56b4e9;
  --below: #5f6873; --mark: #c9a3e0; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); line-height: 1.45;
  font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans CJK JP",
    "Hiragino Sans", "Yu Gothic", "Microsoft YaHei", "Noto Sans Arabic", "Noto Sans Hebrew", sans-serif; }
main { max-width: 1280px; margin: 0 auto; padding: 24px 20px 64px; overflow-x: clip; }
h1 { font-size: 26px; line-height: 1.2; margin: 0 0 8px; overflow-wrap: anywhere; }
h2 { font-size: 19px; margin: 40px 0 10px; padding-top: 8px; border-top: 1px solid var(--line);
  overflow-wrap: anywhere; }
a { color: var(--accent); }
code { font: 12.5px/1.4 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  overflow-wrap: anywhere; }
.sign { color: var(--soft); }
.notes { color: var(--soft); margin: 8px 0; padding-left: 20px; }
.notes li, dd, dt { overflow-wrap: anywhere; }
.sign, .notes, .cap { max-width: 110ch; }
nav ul { list-style: none; padding: 0; margin: 14px 0 0; display: flex; flex-wrap: wrap; gap: 4px 18px; }
.scroll { overflow-x: auto; margin: 8px 0; }
.scroll::-webkit-scrollbar { height: 9px; }
.scroll::-webkit-scrollbar-thumb { background: var(--below); border-radius: 5px; }
table { border-collapse: collapse; font-size: 13.5px; font-variant-numeric: tabular-nums; }
th, td { padding: 5px 6px; text-align: start; vertical-align: top; border-bottom: 1px solid var(--line); }
thead th { font-size: 12.5px; font-weight: 600; vertical-align: bottom;
  border-bottom: 2px solid var(--line); }
thead th.n, td.n { text-align: right; }
td.n { white-space: nowrap; }
td.n small { display: block; color: var(--soft); font-size: 10.5px; font-weight: normal; }
td.d { white-space: pre-wrap; overflow-wrap: anywhere; min-width: 7em; max-width: 30em;
  unicode-bidi: isolate; }
td.s { white-space: pre; min-width: 0; }
td.g { min-width: 110px; padding-left: 4px; padding-right: 4px; }
th.g { font-weight: normal; color: var(--soft); font-size: 11px; }
.ends { display: flex; justify-content: space-between; }
tbody tr:nth-child(even) { background: var(--stripe); }
tr.all { font-weight: 650; }
th:first-child, td:first-child { position: sticky; left: 0; background: var(--page); }
tbody tr:nth-child(even) td:first-child { background: var(--stripe); }
i.mark { color: var(--mark); font-style: italic; font-weight: normal; }
th button { font: inherit; color: inherit; background: none; border: 0; padding: 0; cursor: pointer;
  text-align: inherit; }
th button::after { content: "\\2195"; color: var(--soft); padding-left: 2px; font-size: 10px; }
th[aria-sort="ascending"] button::after { content: "\\2191"; color: var(--accent); }
th[aria-sort="descending"] button::after { content: "\\2193"; color: var(--accent); }
mark, ins, del { color: inherit; }
.anls-alignment { margin: 0 0 14px; overflow-x: auto; }
.anls-alignment th, .anls-alignment td { position: static; border: 0; padding: 1px 8px 1px 0; }
.anls-alignment th { font-weight: normal; color: var(--soft); }
.anls-alignment tbody tr, .anls-alignment tbody tr td:first-child { background: none; }
.cap { color: var(--soft); font-size: 13px; }
figure { margin: 12px 0 20px; padding: 0 6px; max-width: 860px; break-inside: avoid; }
figcaption { color: var(--soft); font-size: 13px; margin-top: 6px; text-align: center; }
svg { display: block; width: 100%; overflow: visible; }
svg.track { height: 20px; }
svg .iv { stroke: var(--accent); stroke-width: 3; }
svg .pt { fill: var(--accent); }
svg .bar { stroke: var(--below); stroke-width: 3; }
svg .ref { stroke: var(--soft); stroke-width: 1; stroke-dasharray: 4 3; }
svg .base { stroke: var(--line); stroke-width: 2; }
svg .seg { stroke: var(--page); stroke-width: 1; }
svg text { font: 11px system-ui, sans-serif; }
svg text.small { fill: var(--soft); }
svg text.in { text-anchor: middle; dominant-baseline: central; }
.rows { display: grid; grid-template-columns: minmax(60px, max-content) minmax(120px, 1fr) max-content;
  gap: 5px 12px; align-items: center; font-size: 13px; font-variant-numeric: tabular-nums; }
.lab { text-align: end; overflow-wrap: anywhere; max-width: 22em; unicode-bidi: isolate; }
.val { color: var(--soft); white-space: nowrap; }
.lab.all, .val.all { font-weight: 650; }
.ticks { position: relative; height: 18px; font-size: 11px; color: var(--soft); }
.ticks span { position: absolute; transform: translateX(-50%); }
ul.key { list-style: none; display: flex; flex-wrap: wrap; gap: 2px 16px; padding: 0; margin: 8px 0;
  font-size: 13px; }
ul.key i { display: inline-block; width: 11px; height: 11px; margin-right: 6px; border-radius: 2px; }
ul.key i.dot { border-radius: 50%; }
svg.bars { margin-top: 12px; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 3px 18px; font-size: 13.5px; }
dt { color: var(--soft); max-width: 18em; unicode-bidi: isolate; }
dd { margin: 0; min-width: 0; unicode-bidi: isolate; white-space: pre-wrap; }
@media (max-width: 560px) {
  main { padding: 16px 12px 40px; }
  .rows { grid-template-columns: minmax(50px, 24%) minmax(90px, 1fr) max-content; gap: 5px 8px;
    font-size: 12px; }
  .val { white-space: normal; max-width: 7.5em; font-size: 11px; }
  dl { grid-template-columns: 1fr; } dd { margin-bottom: 6px; }
}
@page { size: A4 landscape; margin: 12mm; }
@media print {
  :root { color-scheme: light; --page: #ffffff; --ink: #000000; --soft: #444444; --line: #bbbbbb;
    --stripe: #ffffff; --accent: #0072b2; --below: #999999; --mark: #5b3080; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  main { max-width: none; padding: 0; overflow: visible; }
  nav, th button::after { display: none; }
  .scroll { overflow: visible; }
  th:first-child, td:first-child { position: static; }
  table { font-size: 8pt; } th, td { padding: 2px 5px; } td.n small { font-size: 6.5pt; }
  td.g { min-width: 90px; }
  thead { display: table-header-group; }
  tr, .lab, .cell, .val { break-inside: avoid; }
  h2, p.cap { break-after: avoid; }
  .anls-alignment { break-inside: avoid; overflow: visible; }
}
"""

# Sorting only. The row over everything stays on top, rows without a value at the end.
SCRIPT = """
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
      var fragment = document.createDocumentFragment();
      rows.forEach(function (one) { fragment.appendChild(one.row); });
      body.appendChild(fragment);
    });
  });
});
"""

SCRIPT_DIGEST = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
"""By which the page's own policy knows the script: no other one runs."""
