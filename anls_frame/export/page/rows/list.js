// The list: of 100,000 rows only those in the window have elements, which are used again while it scrolls.

const BEYOND = 4;

class RowList {
  constructor(scroller, head, { columns, opened, sorted }) {
    this.scroller = scroller;
    this.columns = columns;
    this.opened = opened;
    this.head = head;
    this.sorted = sorted;
    this.space = element("div", { class: "space", role: "presentation" });
    this.scroller.append(this.space);
    this.slots = [];
    this.rows = new Uint32Array(0);
    this.at = -1;
    this.isDrawing = false;
    this.buttons = columns.map((column) => this.heading(column));
    this.titled = null;
    this.scroller.addEventListener("scroll", () => this.draw());
    this.scroller.addEventListener("pointerover", ({ target }) => this.entitle(target.closest(".row .cell")));
    new ResizeObserver(() => this.resize()).observe(this.scroller);
  }

  heading(column) {
    const button = element("button", { type: "button", dir: "auto", onclick: () => this.sorted(column.id) });
    button.append(...headingParts(visible(column.title)).flatMap((part) => [part, element("wbr")]));
    const cell = element("div", { role: "columnheader", class: `cell ${column.kind}`, title: column.title }, button);
    this.head.append(cell);
    return cell;
  }

  /** Show these columns, and hide the others. */
  showColumns(shown) {
    this.columns.forEach((column, at) => {
      column.isHidden = !shown.includes(column);
      [this.buttons[at], ...this.slots.map(({ cells }) => cells[at])].forEach((cell) => { cell.hidden = column.isHidden; });
    });
  }

  /** Say in the headings by which column rows are sorted. */
  showSort(id, isDescending) {
    this.columns.forEach((column, at) => {
      if (column.id === id) {
        this.buttons[at].setAttribute("aria-sort", isDescending ? "descending" : "ascending");
      } else {
        this.buttons[at].removeAttribute("aria-sort");
      }
    });
  }

  /** Show other rows, from the first one; one of them may be the current one. */
  show(rows, at) {
    this.rows = rows;
    this.scroller.setAttribute("aria-rowcount", rows.length + 1);
    this.scroller.removeAttribute("aria-activedescendant");
    this.at = at;
    this.scroller.scrollTop = 0;
    this.resize();
  }

  /** Draw the rows again, because what they say has changed. */
  refresh() {
    this.slots.forEach((slot) => { slot.index = -1; });
    this.drawNow();
  }

  resize() {
    this.height = parseFloat(getComputedStyle(this.scroller).getPropertyValue("--row-height")) || 34;
    this.space.style.height = `${this.rows.length * this.height}px`;
    const wanted = Math.ceil(this.scroller.clientHeight / this.height) + 2 * BEYOND;
    while (this.slots.length < wanted) {
      this.slots.push(this.slot());
    }
    this.refresh();
  }

  slot() {
    const cells = this.columns.map(({ kind, isHidden }) => (
      element("div", { role: "gridcell", class: `cell ${kind}`, dir: "auto", hidden: isHidden })
    ));
    const line = element("div", { role: "row", class: "row", hidden: true }, ...cells);
    const slot = { line, cells, index: -1 };
    line.addEventListener("click", () => this.opened(slot.index));
    this.space.append(line);
    return slot;
  }

  /** Let the pointer read the whole text of a cell that is cut. */
  entitle(cell) {
    this.titled?.removeAttribute("title");
    this.titled = cell !== null && cell.scrollWidth > cell.clientWidth ? cell : null;
    if (this.titled) {
      cell.title = cell.textContent;
    }
  }

  draw() {
    this.entitle(null);
    if (this.isDrawing) {
      return;
    }
    this.isDrawing = true;
    requestAnimationFrame(() => {
      this.isDrawing = false;
      this.drawNow();
    });
  }

  drawNow() {
    const number = this.slots.length;
    const first = Math.max(0, Math.floor(this.scroller.scrollTop / this.height) - BEYOND);
    for (let index = first; index < first + number; index += 1) {
      const slot = this.slots[index % number];
      if (slot.index !== index) {
        this.fill(slot, index);
      }
    }
  }

  fill(slot, index) {
    const { line, cells } = slot;
    slot.index = index;
    line.hidden = index >= this.rows.length;
    if (line.hidden) {
      return;
    }
    const row = this.rows[index];
    line.style.transform = `translateY(${index * this.height}px)`;
    line.id = `row-${index}`;
    line.setAttribute("aria-rowindex", index + 2);
    line.classList.toggle("even", index % 2 === 1);
    this.mark(slot);
    this.columns.forEach((column, at) => column.fill(cells[at], row));
  }

  mark({ line, index }) {
    line.setAttribute("aria-selected", index === this.at);
  }

  /** Make a row the current one, and bring it into the window. */
  moveTo(index) {
    this.at = index;
    this.slots.forEach((slot) => this.mark(slot));
    if (index < 0) {
      this.scroller.removeAttribute("aria-activedescendant");
      return;
    }
    const [top, room] = [index * this.height, this.scroller.clientHeight - this.head.offsetHeight];
    const from = this.scroller.scrollTop;
    const isFar = top < from - room || top > from + 2 * room;
    if (isFar) {
      this.scroller.scrollTop = top - (room - this.height) / 2;
    } else if (top < from) {
      this.scroller.scrollTop = top;
    } else if (top + this.height > from + room) {
      this.scroller.scrollTop = top + this.height - room;
    }
    this.drawNow();
    this.scroller.setAttribute("aria-activedescendant", `row-${index}`);
  }

  get page() {
    return Math.max(1, Math.floor(this.scroller.clientHeight / this.height) - 1);
  }
}
