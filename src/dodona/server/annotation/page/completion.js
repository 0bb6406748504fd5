// A text field with a list of what is likely, the most likely first: a combobox, as ARIA describes it.

import { el } from "./dom.js";
import { percent } from "./tree.js";

const MOST = 12; // choices that are shown at a time
const [LEAST, ENOUGH, LONGEST, HEADER] = [100, 180, 310, 60]; // pixels: of the list, and of the top of the page
const EDGE = 8; // pixels between the list and the edge of the page
const LIKELY = 0.005; // less is no percent
let count = 0; // of fields, for their names

export class Completion {
  /**
   * `load()` gives choices with a value and a probability or null. `commit(value, isEntered)` is called for another value,
   * after Enter or when the field is left; `leave()` when Enter or Escape ends the typing. `isClosed`: most values are
   * among the choices, and what is typed is completed to the most likely one; what is added is selected, and goes with
   * the next letter or with Delete.
   */
  constructor({ value, load, commit, leave, isClosed = false, attributes = {} }) {
    this.value = value;
    this.load = load;
    this.commit = commit;
    this.leave = leave;
    this.isClosed = isClosed;
    this.choices = null;
    this.loading = null;
    this.typed = value; // without what was added
    this.isShortened = false; // whether the last key took something away
    this.at = -1;
    this.isOver = false; // once another field has taken its place
    const id = `choices-${(count += 1)}`;
    this.list = el("ul", { id, role: "listbox", class: "choices", hidden: true, "aria-label": "Choices" });
    this.input = el("input", {
      type: "text",
      value,
      role: "combobox",
      "aria-expanded": "false",
      "aria-controls": id,
      "aria-autocomplete": isClosed ? "both" : "list",
      autocomplete: "off",
      spellcheck: "false",
      maxlength: 500,
      ...attributes,
    });
    this.input.addEventListener("focus", () => this.open());
    this.input.addEventListener("input", (event) => {
      this.typed = this.input.value;
      this.isShortened = event.inputType?.startsWith("delete") ?? false;
      this.complete();
      this.filter();
    });
    this.input.addEventListener("keydown", (event) => this.key(event));
    this.input.addEventListener("blur", () => this.finish(false));
    this.element = el("div", { class: "completion" }, this.input, this.list);
  }

  get isTyped() {
    return this.input.value !== this.value;
  }

  async open() {
    this.input.select();
    this.loading ??= this.fetch();
    await this.loading;
    if (document.activeElement === this.input) this.filter();
  }

  async fetch() {
    this.choices = await this.load().catch(() => []); // then the field is one without help
    if (this.isTyped) this.complete();
  }

  /** Add the rest of the most likely choice that begins with what was typed, if that is none by itself. */
  complete() {
    const { input, typed } = this;
    const isAtEnd = input.selectionStart === typed.length;
    const values = (this.choices ?? []).map(({ value }) => value);
    if (!this.isClosed || this.isShortened || !isAtEnd || typed.trim() === "" || values.includes(typed)) return;
    const found = values.find((value) => value.toLowerCase().startsWith(typed.toLowerCase()));
    if (found === undefined) return;
    input.value = found;
    input.setSelectionRange(typed.length, found.length);
  }

  /** Enter may be faster than the server: what was typed is completed first. */
  async enter() {
    if (this.isClosed) await this.loading;
    this.finish(true);
  }

  /** Show the choices that begin with what was typed, and then those that have it elsewhere. */
  filter() {
    const typed = this.isTyped ? this.typed.trim().toLowerCase() : "";
    const place = ({ value }) => value.toLowerCase().indexOf(typed);
    const fitting = (this.choices ?? []).filter((choice) => place(choice) >= 0);
    const first = fitting.filter((choice) => place(choice) === 0);
    this.shown = [...first, ...fitting.filter((choice) => place(choice) > 0)].slice(0, MOST);
    const items = this.shown.map(({ value, probability }, k) =>
      el(
        "li",
        {
          id: `${this.list.id}-${k}`,
          role: "option",
          "aria-selected": "false",
          onpointerdown: (event) => {
            event.preventDefault(); // the field keeps the focus
            this.input.value = value;
            this.finish(true);
          },
        },
        el("span", { dir: "auto" }, value),
        probability >= LIKELY && el("small", {}, percent(probability)),
      ),
    );
    this.list.replaceChildren(...items);
    this.at = -1;
    this.show(items.length > 0);
  }

  show(isShown) {
    this.list.hidden = !isShown;
    this.input.setAttribute("aria-expanded", String(isShown));
    if (isShown) this.place();
    else this.input.removeAttribute("aria-activedescendant");
  }

  /** Put the list below the field, or above it, over the tree, if there is no room; not beyond the edge of the page. */
  place() {
    const box = this.input.getBoundingClientRect();
    const room = { below: (window.visualViewport?.height ?? innerHeight) - box.bottom, above: box.top - HEADER };
    const isAbove = room.below < ENOUGH && room.above > room.below;
    this.list.classList.toggle("above", isAbove);
    this.list.style.translate = "";
    const over = this.list.getBoundingClientRect().right + EDGE - document.documentElement.clientWidth;
    if (over > 0) this.list.style.translate = `${-over}px`;
    this.list.style.maxHeight = `${Math.max(LEAST, Math.min(LONGEST, (isAbove ? room.above : room.below) - 10))}px`;
  }

  mark(at) {
    this.at = at;
    [...this.list.children].forEach((item, k) => item.setAttribute("aria-selected", String(k === at)));
    this.input.setAttribute("aria-activedescendant", `${this.list.id}-${at}`);
    this.list.children[at].scrollIntoView({ block: "nearest" });
    this.input.value = this.shown[at].value;
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.isComposing) return;
    const many = this.list.hidden ? 0 : this.shown.length;
    if (event.key === "ArrowDown" && many > 0) this.mark((this.at + 1) % many);
    else if (event.key === "ArrowUp" && many > 0) this.mark((Math.max(this.at, 0) + many - 1) % many);
    else if (event.key === "Enter") this.enter();
    else if (event.key === "Escape") this.cancel();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  cancel() {
    this.input.value = this.value;
    this.finish(true);
  }

  finish(isEntered) {
    if (this.isOver) return;
    this.show(false);
    const value = this.input.value.trim();
    if (this.isTyped && value !== "") {
      this.value = this.input.value;
      this.commit(value, isEntered);
    }
    if (isEntered) this.leave();
  }
}
