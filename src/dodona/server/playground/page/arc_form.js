// The arc of one word in a form: its head and its label, for keyboards and screen readers, and for phones.

import { button, el, field, select } from "./dom.js";

export class ArcForm {
  /** `given` is the given arc of the word, if there is one; `give(head, label)` and `toggle()` are called for changes. */
  constructor(tree, word, given, labels, { give, toggle }) {
    const [head, label] = [tree.heads[word - 1], tree.labels[word - 1]];
    const choices = [[0, "ROOT"], ...tree.words.map((form, k) => [k + 1, `${k + 1} ${form}`])];
    this.head = select(
      choices.filter(([k]) => k !== word),
      head,
      (chosen) => give(Number(chosen), null),
    );
    this.label = el("input", { list: "labels", value: label, maxlength: 60, size: 14, autocomplete: "off" });
    this.label.addEventListener("change", () => {
      const chosen = this.label.value.trim();
      if (chosen !== "" && chosen !== label) give(head, chosen);
    });
    this.toggle = button(given ? "Release this arc" : "Give this arc", toggle, { title: "G" });
    this.element = el(
      "div",
      { class: "row" },
      el("strong", { class: "form", dir: "auto" }, `${word} ${tree.words[word - 1]}`),
      field("Head", this.head),
      field("Label", this.label),
      this.toggle,
      el(
        "datalist",
        { id: "labels" },
        labels.map((name) => el("option", { value: name })),
      ),
    );
  }
  /** The name of the control that has the focus, if one has. */
  focused() {
    return ["head", "label", "toggle"].find((name) => this[name] === document.activeElement);
  }
}
