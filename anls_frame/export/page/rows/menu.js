// A menu of the selected rows: a head that opens it, and what can be done with them.

class Menu {
  constructor(place, name, opened = null) {
    this.place = place;
    this.content = element("div");
    place.append(element("summary", {}, name), this.content);
    place.addEventListener("toggle", () => {
      if (place.open) {
        opened?.();
      }
    });
    document.addEventListener("pointerdown", ({ target }) => {
      if (!place.contains(target)) {
        this.close();
      }
    });
  }

  get isOpen() {
    return this.place.open;
  }

  /** Close it; a focus within it goes to its head. */
  close() {
    if (this.place.contains(document.activeElement)) {
      this.place.firstElementChild.focus();
    }
    this.place.open = false;
  }
}
