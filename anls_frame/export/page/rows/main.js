// The page: rows are read, filtered and sorted, listed, and one of them shown in full.

const LONGEST_CELL = 300;
/** Pixels that a kind of column needs at least, and its share of what is left. */
const ROOMS = {
  mark: [26, 0],
  id: [90, 0.5], figure: [72, 0], wide: [104, 0], right: [124, 0], type: [124, 0], text: [120, 2], value: [90, 1],
};
const PREPARED = 10_000;
const PRINTED = 200;
const TYPING = 120;
const MOST_FILTERS = 31;

class App {
  constructor(rows) {
    this.rows = rows;
    this.verdicts = new Verdicts(rows, (row) => this.judged(row));
    this.filters = new Filters(rows.count, this.allFilters());
    this.search = this.filters.filters[0];
    this.sort = { id: "score_0_0", isDescending: !rows.meta.metrics[0].higher };
    this.columns = this.allColumns();
    this.list = new RowList(byId("list"), byId("head"), {
      columns: this.columns,
      opened: (index) => this.open(index),
      sorted: (id) => this.sortBy(id),
    });
    this.view = new RowView(rows, byId("row"), {
      moved: (by) => this.move(by),
      closed: () => this.close(),
      verdicts: this.verdicts,
    });
    this.panels = this.filters.filters.slice(1).map((filter) => {
      const isType = filter.id.startsWith("type_");
      return panelOf(filter, { colors: isType ? rows.meta.colors : null, changed: (one) => this.changed(one) });
    });
    byId("facets").append(...this.panels.map((panel) => panel.element));
    new ResizeObserver(() => this.layOut()).observe(byId("list"));
    this.listen();
    this.readAddress(location.hash.slice(1));
    this.layOut();
    this.prepareSearch();
  }

  /** Get ready for a search while nothing else is to be done. */
  prepareSearch() {
    const prepare = () => {
      if (this.search.prepare(PREPARED)) {
        setTimeout(prepare);
      }
    };
    setTimeout(prepare);
  }

  /** Return the filters of the page, the search first. */
  allFilters() {
    const { meta } = this.rows;
    const ofSystem = (name, system) => (meta.systems.length > 1 ? `${name}, ${meta.systems[system]}` : name);
    const made = [];
    const add = (id, name) => {
      const column = this.rows.get(id);
      if (column) {
        const isRange = column.isNumeric && !column.lists && (id.startsWith("score_") || column.pool.length > 30);
        made.push(isRange ? new Range(id, name, column) : new Values(id, name, column, {
          isOrdered: isOrdered(id, column),
          nothing: /^(right|type_)/.test(id) ? "no answer" : null,
        }));
      }
    };
    add("right", "right");
    meta.systems.forEach((_, system) => add(`type_${system}`, ofSystem("error type", system)));
    meta.systems.forEach((_, system) => {
      meta.metrics.forEach((metric, number) => add(`score_${number}_${system}`, ofSystem(metric.name, system)));
    });
    meta.by.forEach((name, place) => add(`by_${place}`, name));
    made.splice(MOST_FILTERS - 2);
    made.push(new Values("verdict", "verdict", this.verdicts.column, { isOrdered: true, nothing: "none" }));
    const searched = [...this.rows.columns].filter(([id]) => /^(id|answers|prediction_|keep_|by_)/.test(id));
    return [new Search(searched.map(([, column]) => column)), ...made];
  }

  /** Return the columns of the list: how each fills its cell with a row. */
  allColumns() {
    const { meta } = this.rows;
    const several = meta.systems.length > 1;
    const made = [];
    const add = (id, title, kind, fill) => {
      if (this.rows.get(id)) {
        made.push({ id, title, kind, fill: fill ?? ((cell, row) => this.fillValues(cell, this.rows.get(id), row)) });
      }
    };
    made.push({ id: "verdict", title: "", kind: "mark", fill: (cell, row) => this.fillVerdict(cell, row) });
    add("id", "id", "id extra");
    add("right", "right", "right spare");
    meta.systems.forEach((name, system) => meta.metrics.forEach((metric, number) => {
      add(`score_${number}_${system}`, several ? `${metric.name} ${name}` : metric.name, `${several ? "wide figure" : "figure"}${number ? " spare" : ""}`);
    }));
    if (!several) {
      add("type_0", "error type", "type", (cell, row) => {
        const type = this.rows.value("type_0", row);
        if (cell.type !== type) {
          cell.type = type;
          cell.replaceChildren(typeElement(type, meta.colors));
        }
      });
    }
    meta.systems.forEach((name, system) => {
      add(`prediction_${system}`, several ? name : "prediction", "text prediction");
    });
    add("answers", "answer", "text answer", (cell, row) => fill(cell, this.rows.nearest(row, 0), LONGEST_CELL));
    meta.keep.forEach((name, place) => add(`keep_${place}`, name, `${kindOf(this.rows.get(`keep_${place}`))} extra`));
    meta.by.forEach((name, place) => add(`by_${place}`, name, "value extra"));
    return made;
  }

  fillValues(cell, column, row) {
    if (!column.lists) {
      fill(cell, column.value(row), LONGEST_CELL, column.isFractional);
      return;
    }
    cell.replaceChildren(...column.values(row).flatMap((value, at) => (
      at ? [", ", shownValue(value, LONGEST_CELL)] : [shownValue(value, LONGEST_CELL)]
    )));
  }

  fillVerdict(cell, row) {
    const code = this.verdicts.column.codes[row];
    if (!code && !cell.textContent) {
      return;
    }
    cell.textContent = code ? String(code) : "";
    cell.title = code ? verdictName(this.verdicts.names[code - 1]) : "";
  }

  /** Show a verdict that was given. */
  judged(row) {
    this.list.refresh();
    this.showVerdicts();
    if (this.view.row === row) {
      this.view.showVerdict();
    }
  }

  /** Say how many verdicts there are; rows stay selected until a filter changes. */
  showVerdicts() {
    const { count } = this.verdicts;
    byId("save").hidden = count === 0;
    byId("save").textContent = `Save ${counted(count, "verdict")}`;
    const panel = this.panels.find(({ filter }) => filter.id === "verdict");
    panel.codes = null;
    panel.show(this.filters.counts(panel.filter));
    panel.element.hidden = count === 0 && !panel.filter.isActive;
  }

  /** Give the open or the current row a verdict. */
  judge(verdict) {
    const row = this.view.row ?? this.selected[this.list.at];
    if (row !== undefined) {
      this.verdicts.toggle(row, verdict);
    }
  }

  /** Give each column of the list the room that it needs, and its share of the rest. */
  layOut() {
    const isOpen = this.view.row !== null;
    const shown = this.columns.filter((column) => !(isOpen && /extra|spare/.test(column.kind)));
    const needed = shown.map((column) => ROOMS[column.kind.split(" ")[0]]);
    const least = needed.reduce((sum, [room]) => sum + room, 0);
    const shares = needed.reduce((sum, [, share]) => sum + share, 0) || 1;
    const table = byId("table");
    const spare = Math.max(0, byId("list").clientWidth - 16 - least);
    // Lengths, because a window full of rows is laid out much faster by them than by shares.
    const tracks = needed.map(([room, share]) => `${Math.floor(room + (spare * share) / shares)}px`);
    table.style.setProperty("--columns", tracks.join(" "));
    table.style.setProperty("--width", `${16 + least}px`);
  }

  listen() {
    let typing = null;
    const search = byId("search");
    search.addEventListener("input", () => {
      clearTimeout(typing);
      typing = setTimeout(() => {
        this.search.text = search.value;
        this.changed(this.search);
      }, TYPING);
    });
    byId("clear").addEventListener("click", () => this.clearAll());
    byId("save").addEventListener("click", () => this.verdicts.save());
    byId("filters").addEventListener("click", () => this.toggleFacets());
    byId("help-button").addEventListener("click", () => byId("help").showModal());
    byId("help-close").addEventListener("click", () => byId("help").close());
    window.addEventListener("hashchange", () => this.readAddress(location.hash.slice(1)));
    window.addEventListener("message", ({ data, source }) => {
      // A report around this page asks for the rows of one of its figures.
      if (source === window.parent && typeof data?.view === "string") {
        this.readAddress(data.view);
      }
    });
    window.addEventListener("beforeprint", () => this.print());
    window.addEventListener("afterprint", () => byId("print").replaceChildren());
    listenToKeys(this.keys());
  }

  keys() {
    const { list } = this;
    return {
      j: () => this.move(1),
      ArrowDown: () => this.move(1),
      k: () => this.move(-1),
      ArrowUp: () => this.move(-1),
      PageDown: () => this.move(list.page),
      PageUp: () => this.move(-list.page),
      Home: () => this.move(-Infinity),
      End: () => this.move(Infinity),
      Enter: () => this.open(Math.max(0, list.at)),
      Escape: () => this.escape(),
      ...Object.fromEntries(this.verdicts.names.map((verdict, at) => [at + 1, () => this.judge(verdict)])),
      "/": () => byId("search").select(),
      "?": () => byId("help").showModal(),
    };
  }

  escape() {
    if (document.activeElement === byId("search")) {
      byId("list").focus();
    } else if (byId("help").open) {
      byId("help").close();
    } else {
      this.close();
    }
  }

  toggleFacets() {
    const isOpen = document.body.classList.toggle("with-facets");
    byId("filters").setAttribute("aria-expanded", isOpen);
  }

  /** Select rows again after a filter has changed. */
  changed(filter) {
    this.filters.update(filter);
    this.show();
  }

  clearAll() {
    this.filters.filters.forEach((filter) => {
      filter.clear();
      this.filters.update(filter);
    });
    byId("search").value = "";
    this.show();
  }

  sortBy(id) {
    const isSame = this.sort.id === id;
    const isDescending = isSame ? !this.sort.isDescending : false;
    this.sort = { id, isDescending };
    this.show();
  }

  show() {
    const { row } = this.view;
    const column = this.rows.get(this.sort.id) ?? null;
    this.selected = this.filters.selected(column, this.sort.isDescending);
    this.list.showSort(this.sort.id, this.sort.isDescending);
    this.list.show(this.selected);
    this.panels.forEach((panel) => panel.show(this.filters.counts(panel.filter)));
    this.showVerdicts();
    const { length } = this.selected;
    byId("count").textContent = length === this.rows.count
      ? counted(length, "row") : `${grouped(length)} of ${counted(this.rows.count, "row")}`;
    byId("none").hidden = length > 0;
    const active = this.filters.filters.filter((filter) => filter.isActive).length;
    byId("clear").hidden = active === 0;
    byId("filters").textContent = active ? `Filters (${active})` : "Filters";
    if (row !== null) {
      // The open row stays open while it is selected.
      const at = this.selected.indexOf(row);
      if (at < 0) {
        this.close();
      } else {
        this.open(at);
      }
    }
    this.writeAddress();
  }

  open(index) {
    if (index < 0 || index >= this.selected.length) {
      return;
    }
    document.body.classList.add("with-row");
    this.view.open(this.selected[index], index, this.selected.length);
    this.list.moveTo(index);
    this.writeAddress();
  }

  close() {
    document.body.classList.remove("with-row");
    this.view.close();
    this.writeAddress();
  }

  /** Go to another row; if one is open, it is shown instead. */
  move(by) {
    const last = this.selected.length - 1;
    if (last < 0) {
      return;
    }
    if (document.activeElement === document.body) {
      // Screen readers then follow the current row.
      byId("list").focus({ preventScroll: true });
    }
    const from = this.list.at < 0 && by > 0 ? -1 : this.list.at;
    const index = Math.max(0, Math.min(last, from + by));
    if (this.view.row === null) {
      this.list.moveTo(index);
    } else {
      this.open(index);
    }
  }

  writeAddress() {
    const { id, isDescending } = this.sort;
    const isUsual = id === "score_0_0" && isDescending === !this.rows.meta.metrics[0].higher;
    writeAddress({
      filters: this.filters.filters,
      sort: isUsual ? null : `${isDescending ? "-" : ""}${id}`,
      open: this.view.row === null ? null : this.rows.number(this.view.row),
    });
  }

  readAddress(text) {
    const { sort, open } = readAddress(this.filters.filters, text);
    if (sort !== null && this.rows.get(sort.replace(/^-/, ""))) {
      this.sort = { id: sort.replace(/^-/, ""), isDescending: sort.startsWith("-") };
    }
    byId("search").value = this.search.text;
    this.filters.filters.forEach((filter) => this.filters.update(filter));
    this.view.close();
    document.body.classList.remove("with-row");
    const wanted = open === null ? -1 : this.rowOf(open);
    this.show();
    if (wanted >= 0) {
      this.open(this.selected.indexOf(wanted));
    }
  }

  /** Return the row with a number of the frame. */
  rowOf(number) {
    const column = this.rows.get("row");
    if (!column) {
      return number >= 0 && number < this.rows.count ? number : -1;
    }
    return column.codes.indexOf(column.pool.indexOf(number) + 1);
  }

  /** Write the first rows as a table for the printer. */
  print() {
    document.querySelector("#top details").open = true;
    const rows = this.selected.subarray(0, PRINTED);
    const head = element("tr", {}, ...this.columns.map((column) => element("th", { dir: "auto" }, visible(column.title))));
    const lines = Array.from(rows, (row) => element("tr", {}, ...this.columns.map((column) => {
      const cell = element("td", { class: column.kind, dir: "auto" });
      column.fill(cell, row);
      return cell;
    })));
    const said = rows.length < this.selected.length
      ? `The first ${grouped(rows.length)} of ${counted(this.selected.length, "row")}.` : counted(rows.length, "row");
    byId("print").replaceChildren(
      element("p", {}, said),
      element("table", {}, element("thead", {}, head), element("tbody", {}, ...lines)),
    );
  }
}

/** Whether values have an order that says more than how often they occur. */
function isOrdered(id, column) {
  return /^(right|type_)/.test(id) || column.isNumeric;
}

function kindOf(column) {
  return column.isNumeric ? "figure" : "text";
}

Rows.read().then(
  (rows) => {
    new App(rows);
    document.body.classList.add("ready");
  },
  (error) => {
    byId("count").textContent = `The rows cannot be read: ${error.message}`;
    throw error;
  },
);
