// Other annotations of the same sentence: of models, of other annotators, and as it was in the file.

import { ask, latest } from "./api.js";
import { button, el, message } from "./dom.js";
import { differences } from "./view.js";

export class Versions {
  /** `show(version)` draws one beside the sentence, or none for null; `take(name)` makes its tree the present one. */
  constructor({ show, take }) {
    this.calls = { show, take };
    this.load = latest((sentence) => ask("compare", { sentence }));
    this.body = el("div");
    this.element = el("details", { class: "card" }, el("summary", {}, "Other versions"), this.body);
    this.element.addEventListener("toggle", () => this.update(this.view));
    this.chosen = null; // the name of the version that is shown
    this.isEntered = false; // whether the keyboard is to go to the versions when they are there
  }

  /** Load the versions of a sentence, if they are to be seen. */
  async update(view) {
    const isOther = this.view?.sentence !== view?.sentence;
    this.view = view;
    if (!view) return;
    if (!this.element.open) {
      this.choose(null);
      return;
    }
    if (isOther) {
      this.versions = [];
      this.body.replaceChildren();
    }
    try {
      const answer = await this.load(view.sentence);
      if (answer === null || this.view.sentence !== view.sentence) return;
      this.versions = answer.versions;
      this.draw();
    } catch (error) {
      this.body.replaceChildren(message(error.message, "fault"));
    }
  }

  /** The version that is shown beside a view; null while there is none for its sentence, and these words. */
  versionOf(view) {
    const version = this.view?.sentence === view.sentence && this.versions?.find(({ name }) => name === this.chosen);
    return version && version.heads?.length === view.words.length ? version : null;
  }

  /** Show the versions, with the keyboard at the chosen one, or hide them; returns whether they are shown. */
  toggle() {
    this.element.open = !this.element.open;
    this.isEntered = this.element.open;
    return this.element.open;
  }

  choose(name) {
    if (name === this.chosen) return;
    this.chosen = name;
    this.calls.show();
  }

  draw() {
    const { view, versions } = this;
    if (versions.length === 0) this.body.replaceChildren(message("There is no other version."));
    const rows = versions.map((version) => {
      const { name, heads } = version;
      const found = heads === null ? [] : differences(view, version);
      const [arcs, tags] = ["arc", "upos"].map((column) => found.filter((each) => each[column]).length);
      const told = heads === null ? "its words differ" : arcs + tags === 0 ? "the same" : tellDifferences(arcs, tags);
      const radio = el("input", { type: "radio", name: "version", checked: name === this.chosen, disabled: !heads });
      radio.addEventListener("change", () => this.choose(name));
      const take = button("Take", () => this.calls.take(name), { disabled: arcs + tags === 0 });
      take.setAttribute("aria-label", `Take the tree of ${name}`);
      return el(
        "li",
        { class: "row" },
        el("label", { class: "check" }, radio, el("span", { dir: "auto" }, name)),
        el("span", { class: arcs + tags > 0 ? "differs" : "hint" }, told),
        take,
      );
    });
    const none = el("input", { type: "radio", name: "version", checked: this.versionOf(view) === null });
    none.addEventListener("change", () => this.choose(null));
    rows.push(el("li", {}, el("label", { class: "check" }, none, el("span", {}, "Show none"))));
    const focused = this.body.contains(document.activeElement) && document.activeElement.matches("input");
    if (versions.length > 0) this.body.replaceChildren(el("ul", { class: "versions" }, rows));
    if (this.isEntered) this.element.scrollIntoView({ block: "nearest" });
    if (focused || this.isEntered) this.body.querySelector("input:checked")?.focus();
    this.isEntered = false;
    this.calls.show();
  }
}

/** How many arcs and tags differ, in words. */
function tellDifferences(arcs, tags) {
  const count = (number, what) => (number === 0 ? [] : [`${number} ${what}${number === 1 ? "" : "s"}`]);
  return `${[...count(arcs, "arc"), ...count(tags, "tag")].join(" and ")} ${arcs + tags === 1 ? "differs" : "differ"}`;
}
