// The bar above a tree that is corrected: undo and redo, the place among the sentences, files.

import { button, check, el, iconButton } from "./dom.js";

export class Toolbar {
  /** `travel("undo")`, `go(by)`, `open(file)` and `save()` are called for what is pressed. */
  constructor({ travel, go, open, save }) {
    const file = el("input", { type: "file", accept: ".conllu,.txt", class: "hidden", "aria-label": "A file" });
    file.addEventListener("change", () => {
      const [chosen] = file.files;
      if (chosen) open(chosen);
      file.value = "";
    });
    this.rest = el("input", { type: "checkbox", checked: true });
    this.undo = button("Undo", () => travel("undo"), { title: "Ctrl+Z" });
    this.redo = button("Redo", () => travel("redo"), { title: "Ctrl+Y" });
    this.place = el("span", { class: "place" });
    this.previous = iconButton("back", "Sentence before", () => go(-1));
    this.next = iconButton("next", "Next sentence", () => go(1));
    this.save = button("Save as CoNLL-U", save, { class: "main" });
    this.element = el(
      "div",
      { class: "card form" },
      el(
        "div",
        { class: "row" },
        this.undo,
        this.redo,
        el("span", { class: "group" }, this.previous, this.place, this.next),
        check("Parse the rest again", this.rest),
        button("Open a file", () => file.click()),
        this.save,
        file,
      ),
      el(
        "p",
        { class: "hint" },
        "Drag an arc or a word to its new head, to the upper edge for ROOT. Keys: ← → choose a word, Enter its head, ",
        "L its label, G gives or releases its arc (Shift+G all arcs), D goes to the most doubtful one.",
      ),
    );
  }

  /** Whether the rest is to be parsed again after a change. */
  get parsesRest() {
    return this.rest.checked;
  }

  /** Show what is possible now: the history of a sentence, if there is one, and its place among all. */
  update(history, at, count) {
    this.undo.disabled = !history?.canUndo;
    this.redo.disabled = !history?.canRedo;
    this.previous.disabled = at === 0;
    this.next.disabled = at >= count - 1;
    this.save.disabled = count === 0;
    this.place.textContent = count > 0 ? `${at + 1} of ${count}` : "none";
  }
}
