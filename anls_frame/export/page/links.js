"use strict";
// Links of figures select their rows on the page within this one.
document.addEventListener("click", function (event) {
  var link = event.target.closest("[data-view]");
  var frame = document.getElementById("rows-page");
  if (link === null || frame === null) { return; }
  event.preventDefault();
  frame.contentWindow.postMessage({ view: link.getAttribute("data-view") }, "*");
  frame.scrollIntoView({ block: "start" });
});
