// The page: rows are read, filtered and sorted, listed, and one of them shown in full.

const PREPARED = 10_000;
const PRINTED = 200;
const TYPING = 120;

class App {
  constructor(rows) {
    this.rows = rows;
    this.verdicts = new Verdicts(rows, (said) => this.judged(said));
    this.filters = new Filters(rows.count, this.allFilters());
    this.search = this.filters.filters[0];
    this.sort = sortFrom(rows.meta.sort);
    this.columns = listColumns(rows, this.verdicts);
    this.list = new RowList(byId("list"), byId("head"), {
      columns: this.columns,
      opened: (index) => this.open(index),
      sorted: (id) => this.sortBy(id),
    });
    this.view = new RowView(rows, byId("row"), {
      moved: (by) => this.move(by),
      closed: () => this.close(),
      verdicts: this.verdicts,
      filterOf: (column) => this.filters.filters.find((filter) => filter.kind === "values" && filter.column === column),
      selected: (filter, code) => this.selectValue(filter, code),
    });
    this.panels = this.filters.filters.filter(({ hasPanel }) => hasPanel).map((filter) => {
      const isType = filter.id.startsWith("type_");
      return panelOf(filter, { colors: isType ? rows.meta.colors : null, changed: (one) => this.changed(one) });
    });
    this.files = new FilesMenu(byId("files"), rows, this.verdicts, () => this.selected);
    this.follower = new Follower(rows, this.verdicts, () => this.selected);
    this.marks = new MarkMenu(byId("mark"), this.verdicts, () => this.selected);
    const [ofSystems, others] = [true, false].map((isOwn) => this.panels.filter(({ filter }) => "system" in filter === isOwn));
    const groups = systemGroups(rows.meta.systems, ofSystems, () => this.showPanels());
    const first = others.findIndex(({ filter }) => /^(by_|read_as)/.test(filter.id));
    const before = first < 0 ? others : others.slice(0, first);
    const elements = (panels) => panels.map((panel) => panel.element);
    byId("facets").append(...elements(before), ...groups, ...elements(others.slice(before.length)));
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
    const made = [];
    const add = (id, name) => {
      const column = this.rows.get(id);
      if (column) {
        const hasMany = column.pool.length > 30 && !id.startsWith("keep_");
        const isRange = column.isNumeric && !column.lists && (/^(score|change)_/.test(id) || hasMany);
        made.push(isRange ? new Range(id, name, column) : new Values(id, name, column, {
          isOrdered: isOrdered(id, column),
          nothing: /^(right|type_)/.test(id) ? NO_ANSWER : null,
          hasNull: id !== "read_as",
          hasPanel: !id.startsWith("keep_"),
        }));
      }
    };
    add("right", "right");
    add("same", "predictions");
    meta.systems.forEach((_, system) => {
      const addOwn = (id, title) => {
        const before = made.length;
        add(id, this.rows.ofSystem(title, system, ", "));
        made.slice(before).forEach((filter) => Object.assign(filter, { title, system }));
      };
      addOwn(`type_${system}`, "error type");
      meta.metrics.forEach((metric, number) => addOwn(`score_${number}_${system}`, metric.label));
      addOwn(`change_${system}`, "change");
    });
    meta.by.forEach((name, place) => add(`by_${place}`, name));
    add("read_as", "read as");
    meta.keep.forEach((name, place) => add(`keep_${place}`, name));
    made.unshift(new Values("verdict", "verdict", this.verdicts.column, {
      isOrdered: true, nothing: "none", called: verdictName,
    }));
    const searched = [...this.rows.columns].filter(([id]) => /^(id|answers|prediction_|keep_|by_)/.test(id));
    return [new Search(searched.map(([, column]) => column)), ...made];
  }

  /** Show verdicts that were given or taken back, and say it. */
  judged(said) {
    byId("said").textContent = said;
    this.follower.tellVerdicts();
    this.list.refresh();
    this.showVerdicts();
    if (this.view.row !== null) {
      this.view.showVerdict();
    }
  }

  /** Say how many verdicts there are; rows stay selected until a filter changes. */
  showVerdicts() {
    const { count } = this.verdicts;
    byId("save").hidden = count === 0;
    const { isSaved, isKept } = this.verdicts;
    const verdicts = counted(count, "verdict");
    byId("save").textContent = isSaved ? `Saved ${verdicts} ✓` : `Save ${verdicts}${isKept ? "" : " (not stored by the browser)"}`;
    byId("save").classList.toggle("saved", isSaved);
    byId("save").title = isKept ? "" : "This browser does not store verdicts for this page. Save them, or they are lost when you close it.";
    if (this.rows.meta.audit) {
      const left = this.rows.count - count;
      byId("left").textContent = left ? `${grouped(left)} left to judge` : "all judged: save the verdicts";
    }
    const { last } = this.verdicts;
    byId("undo").hidden = last === null;
    byId("undo").title = `Undo: ${last} (u)`;
    byId("undo").setAttribute("aria-label", `Undo: ${last}`);
    const panel = this.panels.find(({ filter }) => filter.id === "verdict");
    panel.codes = null;
    panel.ofAll = null;
    this.showPanel(panel);
    panel.element.hidden = count === 0 && !panel.filter.isActive;
  }

  /** Show the panels that can be seen. */
  showPanels() {
    this.panels.forEach((panel) => {
      if (!panel.element.closest("details:not([open])")) {
        this.showPanel(panel);
      }
    });
  }

  showPanel(panel) {
    panel.show(this.filters.counts(panel.filter), this.filters.passing(panel.filter));
  }

  /** Give the open or the current row a verdict, or all of them while their menu is open. */
  judge(verdict) {
    if (this.marks.isOpen) {
      this.marks.mark(verdict);
      return;
    }
    const row = this.view.row ?? this.selected[this.list.at];
    if (row !== undefined) {
      this.verdicts.toggle(row, verdict);
    }
  }

  layOut() {
    this.list.showColumns(layOutColumns(this.columns, {
      table: byId("table"), width: byId("list").clientWidth, isOpen: this.view.row !== null,
    }));
  }

  listen() {
    let typing = null;
    const search = byId("search");
    const searchNow = () => {
      clearTimeout(typing);
      if (this.search.text !== search.value) {
        this.search.text = search.value;
        this.changed(this.search);
      }
    };
    search.addEventListener("keydown", (event) => {
      if ((event.key === "Enter" || event.key === "ArrowDown") && !event.isComposing) {
        event.preventDefault();
        searchNow();
        byId("list").focus();
        this.move(this.list.at < 0 ? 1 : 0);
      }
    });
    search.addEventListener("input", () => {
      clearTimeout(typing);
      typing = setTimeout(searchNow, TYPING);
    });
    byId("clear").addEventListener("click", () => this.clearAll());
    byId("save").addEventListener("click", () => this.verdicts.save(() => this.showVerdicts()));
    byId("undo").addEventListener("click", () => this.verdicts.undo());
    byId("verdict-keys").append(...verdictKeys(this.verdicts.names));
    byId("filters").addEventListener("click", () => this.toggleFacets());
    byId("help-button").addEventListener("click", () => byId("help").showModal());
    byId("help-close").addEventListener("click", () => byId("help").close());
    window.addEventListener("popstate", ({ state }) => {
      // An address that was written by hand has no state.
      this.readAddress(state?.view ?? location.hash.slice(1));
    });
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
      ...Object.fromEntries(
        this.verdicts.names.map((verdict, at) => [verdictKey(verdict, at), () => this.judge(verdict)]),
      ),
      "-": () => (this.marks.isOpen ? this.marks.mark(null) : null),
      m: () => this.marks.open(),
      u: () => this.verdicts.undo(),
      "/": () => byId("search").select(),
      "?": () => byId("help").showModal(),
    };
  }

  escape() {
    const dialog = document.querySelector("dialog[open]");
    if (dialog) {
      dialog.close();
    } else if (document.activeElement === byId("search")) {
      byId("list").focus();
    } else if (this.files.isOpen || this.marks.isOpen) {
      this.files.close();
      this.marks.close();
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
    showUnknown(byId("unknown"), []);
    this.show();
  }

  clearAll() {
    this.filters.filters.forEach((filter) => {
      filter.clear();
      this.filters.update(filter);
    });
    byId("search").value = "";
    showUnknown(byId("unknown"), []);
    this.show();
  }

  /** Select the rows with a value, whatever was selected; the browser goes back to that. */
  selectValue(filter, code) {
    keepAddress();
    this.filters.filters.forEach((one) => one.clear());
    filter.wanted.add(code);
    byId("search").value = "";
    this.filters.filters.forEach((one) => this.filters.update(one));
    showUnknown(byId("unknown"), []);
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
    const current = this.selected?.[this.list.at];
    const column = this.rows.get(this.sort.id) ?? null;
    this.selected = this.filters.selected(column, this.sort.isDescending);
    this.follower.tellSelected();
    this.list.showSort(this.sort.id, this.sort.isDescending);
    // The current row stays the current one, wherever it is now.
    this.list.show(this.selected, current === undefined ? -1 : this.selected.indexOf(current));
    this.showPanels();
    this.showVerdicts();
    const { length } = this.selected;
    const { names } = this.rows.meta;
    byId("count").textContent = length === this.rows.count
      ? counted(length, names.row) : `${grouped(length)} of ${counted(this.rows.count, names.row)}`;
    byId("none").hidden = length > 0;
    const active = showActive(byId("active"), this.filters.filters, (filter) => {
      filter.clear();
      byId("search").value = this.search.text;
      this.changed(filter);
    });
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
    this.layOut();
    this.list.moveTo(index);
    this.writeAddress();
  }

  close() {
    document.body.classList.remove("with-row");
    this.view.close();
    this.layOut();
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
    const sort = `${isDescending ? "-" : ""}${id}`;
    writeAddress({
      filters: this.filters.filters,
      sort: sort === this.rows.meta.sort ? null : sort,
      open: this.view.row === null ? null : this.rows.number(this.view.row),
    });
  }

  readAddress(text) {
    const { sort, open, unknown } = readAddress(this.filters.filters, text);
    const wanted = sortFrom(sort ?? this.rows.meta.sort);
    const isSorted = this.rows.get(wanted.id) !== undefined;
    this.sort = isSorted ? wanted : sortFrom(this.rows.meta.sort);
    byId("search").value = this.search.text;
    this.filters.filters.forEach((filter) => this.filters.update(filter));
    this.view.close();
    document.body.classList.remove("with-row");
    const row = open === null ? -1 : this.rowOf(open);
    this.show();
    if (row >= 0) {
      this.open(this.selected.indexOf(row));
    }
    if (sort && !isSorted) {
      unknown.push(`sort=${sort}`);
    }
    if (open !== null && row < 0) {
      unknown.push(`row=${open}`);
    }
    showUnknown(byId("unknown"), unknown);
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
    const { row } = this.rows.meta.names;
    const said = rows.length < this.selected.length
      ? `The first ${grouped(rows.length)} of ${counted(this.selected.length, row)}.` : counted(rows.length, row);
    byId("print").replaceChildren(
      element("p", {}, said),
      element("table", {}, element("thead", {}, head), element("tbody", {}, ...lines)),
    );
  }
}

Rows.read().then(
  (rows) => {
    new App(rows);
    document.body.classList.add("ready");
  },
  (error) => {
    byId("count").textContent = `Cannot read the rows: ${error.message}`;
    throw error;
  },
);
