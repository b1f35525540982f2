// The keys of the page.

/** Listen to keys; `actions` are by key, and not for those who type a text. */
function listenToKeys(actions) {
  document.addEventListener("keydown", (event) => {
    const on = event.target instanceof Element ? event.target : document.body;
    const isTyping = on.matches("input:not([type=checkbox]), textarea, select") || document.querySelector("dialog[open]");
    if (event.ctrlKey || event.metaKey || event.altKey || (isTyping && event.key !== "Escape")) {
      return;
    }
    const isPressed = on.matches("button, input, summary, a");
    // A button takes these keys itself.
    if (isPressed && (event.key === "Enter" || event.key === " ")) {
      return;
    }
    const action = actions[event.key];
    if (action) {
      event.preventDefault();
      action();
    }
  });
}
