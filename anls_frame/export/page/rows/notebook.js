// The page in a notebook whose kernel follows it. The name of its frame says so, and that of no other page.

const FOLLOWED = /^anls_frame_[0-9a-f]{32}$/;
/** Milliseconds until a greeting is repeated for the first time; the wait then doubles. */
const GREETING = 200;
/** Milliseconds without a change until the selected rows are told. */
const QUIET = 200;

class Follower {
  constructor(rows, verdicts, selected) {
    Object.assign(this, { rows, verdicts, selected, isHeard: false, waiting: null });
    if (window.parent !== window && FOLLOWED.test(window.name)) {
      window.addEventListener("message", ({ data, source }) => {
        if (source === window.parent && data?.given) {
          this.isHeard = true;
          this.verdicts.take(data.given);
          this.tellSelected();
        }
      });
      this.greet(GREETING);
    }
  }

  /** Say that the page is there until it is heard: the kernel may be busy, or its widget not there yet. */
  greet(wait) {
    if (!this.isHeard) {
      this.tell({ rows: this.rows.count });
      setTimeout(() => this.greet(2 * wait), wait);
    }
  }

  tell(what) {
    window.parent.postMessage({ page: window.name, ...what }, "*");
  }

  tellVerdicts() {
    if (this.isHeard) {
      this.tell({ verdicts: this.verdicts.numbers() });
    }
  }

  /** Tell the numbers of the selected rows, whatever their order; null if they are all. */
  tellSelected() {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => {
      if (this.isHeard) {
        const rows = this.selected();
        const numbers = Float64Array.from(rows, (row) => this.rows.number(row)).sort();
        this.tell({ selected: rows.length === this.rows.count ? null : Array.from(numbers) });
      }
    }, QUIET);
  }
}
