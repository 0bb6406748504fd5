// The view "Correct": arcs given by hand, and the rest of the tree parsed again around them.

import { ask, latest } from "./api.js";
import { button, check, el, field, isTyping, message, say, select } from "./dom.js";
import { draggable } from "./drag.js";
import { History } from "./history.js";
import { conllu, save, table } from "./output.js";
import { described } from "./parse.js";
import { drawTree, percent, shade } from "./tree.js";

const KEPT = "dodona-corrections"; // in the storage of this tab, so that a reload loses nothing

/** A sentence that is corrected: its states have a tree, and given arcs by word: a head, and a label or null. */
const opened = (tree, given = {}) => new History({ tree, given, changed: [] });

export class CorrectView {
  constructor(section, about, show) {
    this.about = about;
    this.show = show;
    this.section = section;
    this.model = about.models[0].name;
    this.sentences = [];
    this.at = 0;
    this.word = 1;
    this.candidate = null; // the head that is being chosen by keyboard
    this.ask = latest((request) => ask("correct", request));
    this.body = el("div", { class: "results" });
    this.faults = el("div", { "aria-live": "assertive" });
    section.append(this.bar(), this.faults, this.body);
    section.addEventListener("keydown", (event) => this.key(event));
    this.restore();
    this.draw();
  }

  bar() {
    const file = el("input", { type: "file", accept: ".conllu,.txt", class: "hidden", "aria-label": "A file" });
    file.addEventListener("change", () => this.openFile(file));
    this.rest = el("input", { type: "checkbox", checked: true });
    this.undo = button("Undo", () => this.travel("undo"), { title: "Ctrl+Z" });
    this.redo = button("Redo", () => this.travel("redo"), { title: "Ctrl+Y" });
    this.place = el("span", { class: "place" });
    this.previous = button("‹", () => this.go(this.at - 1), { "aria-label": "Sentence before" });
    this.next = button("›", () => this.go(this.at + 1), { "aria-label": "Next sentence" });
    return el(
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
        button("Save as CoNLL-U", () => this.save(), { class: "main" }),
        file,
      ),
      el(
        "p",
        { class: "hint" },
        "Drag an arc or a word to its new head, to the upper edge for ROOT. Keys: ← → choose a word, Enter its head, ",
        "L its label, G gives or releases its arc.",
      ),
    );
  }

  get history() {
    return this.sentences[this.at];
  }

  /** Take over sentences from another view. */
  open({ trees, at, model }) {
    this.sentences = trees.map((tree) => opened(tree));
    this.model = model;
    this.go(at);
  }

  async openFile(input) {
    const [file] = input.files;
    input.value = "";
    if (!file) return;
    try {
      const answer = await ask("parse", { text: await file.text(), model: this.model });
      this.sentences = answer.sentences.map(({ trees: [tree], given }) => {
        const arcs = given.map(([word, head, label]) => [word, { head, label }]);
        return opened(tree, Object.fromEntries(arcs));
      });
      this.go(0);
      say(`${this.sentences.length} sentences opened`);
    } catch (error) {
      this.faults.replaceChildren(message(error.message, "fault"));
    }
  }

  save() {
    save(this.sentences.map(({ state }) => state.tree.conllu).join(""), "corrected.conllu");
    say("Saved as corrected.conllu");
  }

  go(at) {
    this.at = Math.max(0, Math.min(at, this.sentences.length - 1));
    this.word = 1;
    this.candidate = null;
    this.faults.replaceChildren();
    this.keep();
    this.draw();
  }

  travel(way) {
    if (!this.history) return;
    this.history[way]();
    this.faults.replaceChildren();
    this.keep();
    this.draw();
    say(way === "undo" ? "Undone" : "Redone");
  }

  /** Give an arc; everything stays as it is if no tree can have it. */
  async give(word, head, label, rest = this.rest.checked) {
    const { given } = this.history.state;
    await this.change({ ...given, [word]: { head, label } }, [word, head, label], rest);
  }

  async release(word) {
    const { [word]: _, ...given } = this.history.state.given;
    await this.change(given, [word, null, null], this.rest.checked);
  }

  async change(given, [word, head, label], rest) {
    const history = this.history;
    const { tree } = history.state;
    const arcs = Object.entries(given).map(([d, arc]) => [Number(d), arc.head, arc.label]);
    try {
      const answer = await this.ask({ conllu: tree.conllu, given: arcs, rest, model: this.model });
      if (answer === null || history !== this.history) return;
      const fresh = answer.tree;
      if (!rest) fresh.confidence = tree.confidence.map((value, k) => (given[k + 1] ? 1 : value));
      const changed = fresh.heads
        .map((_, k) => k + 1)
        .filter((d) => fresh.heads[d - 1] !== tree.heads[d - 1] || fresh.labels[d - 1] !== tree.labels[d - 1]);
      history.push({ tree: fresh, given, changed });
      this.faults.replaceChildren();
      this.candidate = null;
      this.word = word;
      this.keep();
      this.draw();
      const others = changed.filter((d) => d !== word).length;
      const also = others === 1 ? "one other arc changed" : `${others} other arcs changed`;
      say(`${arcText(fresh, word)}; ${head === null ? "released" : "given"}, ${also}`);
    } catch (error) {
      if (history !== this.history) return;
      const alone = button("Change only this arc", () => this.give(word, head, label, false));
      const actions = rest && head !== null ? [alone] : [];
      this.faults.replaceChildren(message(`${error.message}. Nothing was changed.`, "fault", actions));
    }
  }

  key(event) {
    if ((event.ctrlKey || event.metaKey) && !isTyping(event)) {
      const way = event.key === "y" || (event.key === "Z" && event.shiftKey) ? "redo" : event.key === "z" ? "undo" : null;
      if (way === null) return;
      event.preventDefault();
      this.travel(way);
    }
  }

  /** Keys in the drawing: choose a word, then its head. */
  treeKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { tree } = this.history.state;
    const forward = this.drawing.layout.rightToLeft ? "ArrowLeft" : "ArrowRight";
    const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key] * (forward === "ArrowRight" ? 1 : -1);
    const n = tree.words.length;
    if (way) {
      if (this.candidate === null) this.word = Math.max(1, Math.min(n, this.word + way));
      else this.candidate = Math.max(0, Math.min(n, this.candidate + way));
      if (this.candidate === this.word) this.candidate = Math.max(0, Math.min(n, this.candidate + way));
      if (this.candidate === this.word) this.candidate -= way;
    } else if (event.key === "Enter") {
      if (this.candidate === null) this.candidate = tree.heads[this.word - 1];
      else return this.give(this.word, this.candidate, null);
    } else if (event.key === "Escape" && this.candidate !== null) this.candidate = null;
    else if (event.key === "l") this.label.focus();
    else if (event.key === "g") return this.toggle();
    else return;
    event.preventDefault();
    this.drawing.parentElement.focus();
    this.mark();
    const named = (k) => (k === 0 ? "ROOT" : tree.words[k - 1]);
    say(this.candidate === null ? arcText(tree, this.word) : `Head of ${named(this.word)}: ${named(this.candidate)}?`);
  }

  toggle() {
    const { tree, given } = this.history.state;
    const word = this.word;
    if (given[word]) this.release(word);
    else this.give(word, tree.heads[word - 1], tree.labels[word - 1]);
  }

  draw() {
    const has = this.sentences.length > 0;
    this.undo.disabled = !this.history?.canUndo;
    this.redo.disabled = !this.history?.canRedo;
    this.previous.disabled = this.at === 0;
    this.next.disabled = this.at >= this.sentences.length - 1;
    this.place.textContent = has ? `${this.at + 1} of ${this.sentences.length}` : "none";
    if (!has) {
      const parse = button("Parse a text", () => this.show("parse"));
      this.body.replaceChildren(message("There is nothing to correct yet: parse a text, or open a file.", "note", [parse]));
      return;
    }
    const focused = this.drawing?.parentElement === document.activeElement;
    const { tree, given } = this.history.state;
    this.drawing = this.tree();
    const frame = el("div", {
      class: "frame edited",
      tabindex: 0,
      role: "application",
      "aria-label": `Tree. ${described(tree)}`,
      dir: this.drawing.layout.rightToLeft ? "rtl" : null,
      onkeydown: (event) => this.treeKey(event),
    }, this.drawing);
    const count = Object.keys(given).length;
    const summary = count === 1 ? "one arc given" : `${count} arcs given`;
    const title = el("h2", { dir: "auto" }, tree.text);
    this.panel = el("div", { class: "panel" });
    this.body.replaceChildren(
      el(
        "article",
        { class: "card" },
        el("div", { class: "title" }, title, el("span", { class: "badge" }, summary)),
        frame,
        this.panel,
        el(
          "div",
          { class: "row" },
          button("Oracle", () => this.show("oracle", tree)),
          el("details", {}, el("summary", {}, "Table"), table(tree)),
          el("details", {}, el("summary", {}, "CoNLL-U"), conllu(tree.conllu)),
        ),
      ),
    );
    this.mark();
    if (focused) frame.focus();
  }

  tree() {
    const { tree, given, changed } = this.history.state;
    const arcs = tree.heads.map((head, k) => {
      const isGiven = given[k + 1] !== undefined;
      const confidence = tree.confidence[k];
      const classes = [isGiven ? "given" : shade(confidence), changed.includes(k + 1) && !isGiven ? "changed" : ""];
      const note = isGiven ? "✓" : confidence === undefined ? "" : percent(confidence);
      return { head, dependent: k + 1, label: tree.labels[k], note, classes: classes.join(" ") };
    });
    const { words, upos, multiword } = tree;
    const drawing = drawTree({ words, tags: upos, multiword, arcs, title: described(tree) });
    drawing.setAttribute("role", "presentation");
    drawing.removeAttribute("aria-label");
    draggable(drawing, {
      onpick: (word) => {
        this.candidate = null;
        this.word = word;
        this.mark();
        drawing.parentElement.focus({ preventScroll: true });
      },
      ondrop: (word, head) => this.give(word, head, null),
    });
    return drawing;
  }

  /** Show which word is chosen, and its arc in the panel below. */
  mark() {
    for (const node of this.drawing.querySelectorAll("[data-word]")) {
      const number = Number(node.getAttribute("data-word"));
      node.classList.toggle("chosen", number === this.word);
      node.classList.toggle("target", node.matches(".word") && number === this.candidate);
    }
    this.drawing.classList.toggle("to-root", this.candidate === 0);
    this.scrollTo(this.candidate || this.word);
    const { tree, given } = this.history.state;
    const word = this.word;
    const labels = this.about.models.find(({ name }) => name === this.model)?.labels ?? [];
    const choices = [[0, "ROOT"], ...tree.words.map((form, k) => [k + 1, `${k + 1} ${form}`])];
    const heads = select(
      choices.filter(([k]) => k !== word),
      tree.heads[word - 1],
      (head) => this.give(word, Number(head), null),
    );
    this.label = el("input", { list: "labels", value: tree.labels[word - 1], maxlength: 60, size: 14, autocomplete: "off" });
    this.label.addEventListener("change", () => {
      const label = this.label.value.trim();
      if (label !== "" && label !== tree.labels[word - 1]) this.give(word, tree.heads[word - 1], label);
    });
    this.panel.replaceChildren(
      el("div", { class: "row" },
        el("strong", { class: "form", dir: "auto" }, `${word} ${tree.words[word - 1]}`),
        field("Head", heads),
        field("Label", this.label),
        button(given[word] ? "Release" : "Give this arc", () => this.toggle(), { title: "G" }),
      ),
      el("datalist", { id: "labels" }, labels.map((label) => el("option", { value: label }))),
    );
  }

  scrollTo(word) {
    const frame = this.drawing.parentElement;
    const node = this.drawing.querySelector(`.word[data-word="${word}"]`);
    if (!frame || !node) return;
    const [box, at] = [frame.getBoundingClientRect(), node.getBoundingClientRect()];
    if (at.left < box.left + 20) frame.scrollBy(at.left - box.left - 60, 0);
    if (at.right > box.right - 20) frame.scrollBy(at.right - box.right + 60, 0);
  }

  keep() {
    const kept = this.sentences.map(({ state }) => state);
    try {
      sessionStorage.setItem(KEPT, JSON.stringify({ kept, at: this.at, model: this.model }));
    } catch {
      // private windows may have no storage: then a reload begins anew
    }
  }

  restore() {
    try {
      const { kept, at, model } = JSON.parse(sessionStorage.getItem(KEPT) ?? "{}");
      if (!Array.isArray(kept)) return;
      this.sentences = kept.map((state) => new History(state));
      this.at = Math.max(0, Math.min(at, kept.length - 1));
      if (this.about.models.some(({ name }) => name === model)) this.model = model;
    } catch {
      this.sentences = [];
    }
  }
}

function arcText(tree, word) {
  const head = tree.heads[word - 1];
  return `${tree.words[word - 1]} is ${tree.labels[word - 1]} of ${head === 0 ? "ROOT" : tree.words[head - 1]}`;
}
