// The front end of `RowsPage.widget`: a page tells what was done on it, and the model keeps that for the kernel.

const KEPT = { verdicts: "_verdicts", selected: "_selected" };

function initialize({ model }) {
  const hear = ({ data, source }) => {
    if (data?.page !== model.get("_name")) {
      return;
    }
    if (data.rows < model.get("_rows")) {
      // Notebooks keep the first rows alone; while there is a kernel, the page has all of them.
      source.frameElement.outerHTML = model.get("_frame");
      return;
    }
    if (data.rows) {
      source.postMessage({ given: model.get("_verdicts") }, "*");
      return;
    }
    for (const [name, trait] of Object.entries(KEPT)) {
      if (name in data) {
        model.set(trait, data[name]);
      }
    }
    model.save_changes();
  };
  window.addEventListener("message", hear);
  return () => window.removeEventListener("message", hear);
}

function render({ model, el }) {
  el.innerHTML = model.get("_frame");
}

export default { initialize, render };
