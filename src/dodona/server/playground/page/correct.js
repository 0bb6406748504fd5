// The view "Correct": arcs given by hand, and the rest of the tree parsed again around them.

import { ask, Queue } from "./api.js";
import { ArcForm } from "./arc_form.js";
import { arcText, correctedTree, differences, mostDoubtful, onlyGiven, withConfidence } from "./corrections.js";
import { button, el, isPressed, isTyping, message, say } from "./dom.js";
import { draggable } from "./drag.js";
import { History } from "./history.js";
import { drawCommand, exact, parseCommand, save, saveButtons, table } from "./output.js";
import { described } from "./parse.js";
import { keep, kept } from "./storage.js";
import { Toolbar } from "./toolbar.js";
import { scrollFrame, scrollToWord } from "./tree.js";

/**
 * A sentence that is corrected: its states have a tree, and given arcs by word: a head, and a label or null. `parsed` is
 * whether all other arcs are the parser's, and not as they were in a file or changed alone.
 */
function opened({ tree, given, kept: isKept }) {
  const arcs = given.map(([word, head, label]) => [word, { head, label }]);
  return new History({ tree, given: Object.fromEntries(arcs), changed: [], parsed: !isKept });
}

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
    this.queue = new Queue();
    this.body = el("div", { class: "results" });
    this.faults = el("div", { "aria-live": "assertive" });
    this.bar = new Toolbar({
      travel: (way) => this.travel(way),
      go: (by) => this.go(this.at + by),
      open: (file) => this.openFile(file),
      save: () => this.save(),
    });
    section.append(this.bar.element, this.faults, this.body);
    document.addEventListener("keydown", (event) => this.key(event));
    this.restore();
    this.draw();
  }

  get history() {
    return this.sentences[this.at];
  }

  /** Take over sentences from another view; those that are here already keep their corrections. */
  open(taken) {
    if (!this.has(taken)) {
      this.sentences = taken.sentences.map(opened);
      this.taken = taken;
      this.model = taken.model;
    }
    this.go(taken.at ?? 0);
  }

  has({ sentences }) {
    const here = this.taken?.sentences ?? [];
    return here.length === sentences.length && sentences.every(({ tree }, k) => tree === here[k].tree);
  }

  /** Take over what was parsed last, or null; where something was corrected, only after a question. */
  offer(taken) {
    const isTouched = this.sentences.some(({ state, canUndo }) => canUndo || Object.keys(state.given).length > 0);
    if (taken !== null && !this.has(taken) && !isTouched) this.open(taken);
    else this.draw();
    const text = "The text that was parsed since is another one. To correct it ends the corrections that are here.";
    const isOther = taken !== null && !this.has(taken);
    const actions = [button("Correct the new text", () => this.open(taken))];
    this.faults.replaceChildren(...(isOther ? [message(text, "note", actions)] : []));
  }

  async openFile(file) {
    try {
      const answer = await ask("parse", { text: await file.text(), model: this.model });
      this.sentences = answer.sentences.map(({ trees: [tree], given, kept: isKept }) =>
        opened({ tree, given, kept: isKept }),
      );
      this.taken = null;
      this.go(0);
      say(`${this.sentences.length} sentences opened`);
    } catch (error) {
      this.faults.replaceChildren(message(error.message, "fault"));
    }
  }

  save() {
    save(this.sentences.map(({ state }) => state.tree.conllu).join(""), "corrected.conllu");
    say("Saved as corrected.conllu", true);
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
  give(word, head, label, rest = this.bar.parsesRest) {
    const changed = (given) => ({ ...given, [word]: { head, label } });
    return this.queue.run(() => this.change(changed, word, rest, () => this.give(word, head, label, false)));
  }

  release(word) {
    const changed = ({ [word]: _, ...given }) => given;
    return this.queue.run(() => this.change(changed, word, true, null));
  }

  /** Give all arcs as they are, or release all if all are given. */
  giveAll() {
    const { tree, given } = this.history.state;
    const arcs = tree.heads.map((head, k) => [k + 1, given[k + 1] ?? { head, label: tree.labels[k] }]);
    const areGiven = Object.keys(given).length === arcs.length;
    const changed = () => (areGiven ? {} : Object.fromEntries(arcs));
    return this.queue.run(() => this.change(changed, this.word, areGiven, null));
  }

  /** Parse again with other given arcs. `alone` is what may be tried instead if that is not possible. */
  async change(changed, word, rest, alone) {
    const history = this.history;
    const { tree: before, given } = history.state;
    const state = { given: changed(given), parsed: rest };
    const arcs = Object.entries(state.given).map(([d, arc]) => [Number(d), arc.head, arc.label]);
    try {
      const answer = await ask("correct", { conllu: before.conllu, given: arcs, rest, model: this.model });
      state.tree = withConfidence(answer.tree, before, state.given);
      state.changed = differences(answer.tree, before);
      history.push(state);
      if (history !== this.history) return;
      this.faults.replaceChildren();
      this.candidate = null;
      this.word = word;
      this.keep();
      this.draw();
      const others = state.changed.filter((d) => d !== word).length;
      const also = others === 1 ? "one other arc changed" : `${others} other arcs changed`;
      say(`${arcText(state.tree, word)}; ${state.given[word] ? "given" : "released"}, ${also}`);
    } catch (error) {
      const actions = rest && alone !== null ? [button("Change only this arc", alone)] : [];
      this.faults.replaceChildren(message(`${error.message}. Nothing was changed.`, "fault", actions));
    }
  }

  key(event) {
    if (this.section.hidden || !this.history || isTyping(event) || event.altKey) return;
    if (!event.ctrlKey && !event.metaKey) {
      this.treeKey(event);
      return;
    }
    const way = event.key === "y" || (event.key === "Z" && event.shiftKey) ? "redo" : event.key === "z" ? "undo" : null;
    if (way === null) return;
    event.preventDefault();
    this.travel(way);
  }

  /** Keys for the drawing, wherever the focus is: choose a word, then its head. */
  treeKey(event) {
    const { tree } = this.history.state;
    const turn = this.drawing.layout.rightToLeft ? -1 : 1;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const frame = event.target.closest(".frame");
    if (event.shiftKey && frame !== null && key !== "g") return scrollFrame(frame, event);
    if (key === "Enter" && isPressed(event)) return;
    if (key === "ArrowLeft") this.step(-turn);
    else if (key === "ArrowRight") this.step(turn);
    else if (key === "Enter" && this.candidate === null) this.candidate = tree.heads[this.word - 1];
    else if (key === "Enter") return this.give(this.word, this.candidate, null);
    else if (key === "Escape" && this.candidate !== null) this.candidate = null;
    else if (key === "d") this.word = mostDoubtful(this.history.state) ?? this.word;
    else if (key === "l") return this.editLabel(event);
    else if (key === "g") return event.shiftKey ? this.giveAll() : this.toggle();
    else return;
    event.preventDefault();
    this.mark();
    const named = (k) => (k === 0 ? "ROOT" : tree.words[k - 1]);
    say(this.candidate === null ? arcText(tree, this.word) : `Head of ${named(this.word)}: ${named(this.candidate)}?`);
  }

  /** One word further; where a head is being chosen, one possible head further. */
  step(way) {
    const n = this.history.state.tree.words.length;
    if (this.candidate === null) {
      this.word = Math.max(1, Math.min(n, this.word + way));
      return;
    }
    const next = this.candidate + way;
    const at = next === this.word ? next + way : next;
    if (at >= 0 && at <= n) this.candidate = at;
  }

  editLabel(event) {
    event.preventDefault();
    this.form.label.focus();
    this.form.label.select();
  }

  toggle() {
    const { tree, given } = this.history.state;
    const word = this.word;
    if (given[word]) this.release(word);
    else this.give(word, tree.heads[word - 1], tree.labels[word - 1]);
  }

  draw() {
    this.bar.update(this.history, this.at, this.sentences.length);
    if (this.sentences.length === 0) {
      const parse = button("Parse a text", () => this.show("parse"));
      this.body.replaceChildren(
        message("There is nothing to correct yet: parse a text, or open a file.", "note", [parse]),
      );
      return;
    }
    const focused = this.drawing?.parentElement === document.activeElement;
    const control = this.form?.focused();
    const { tree, given } = this.history.state;
    this.drawing = this.tree();
    const frame = el(
      "div",
      {
        class: "frame edited",
        tabindex: 0,
        role: "application",
        "aria-label": `Tree. ${described(tree)}`,
        dir: this.drawing.layout.rightToLeft ? "rtl" : null,
      },
      this.drawing,
    );
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
          exact("CoNLL-U", tree.conllu),
          exact("Command", this.command()),
          saveButtons(tree),
        ),
      ),
    );
    this.mark();
    if (focused) frame.focus();
    if (control) this.form[control].focus();
  }

  /** The command that gives this tree: parsed around the given arcs, or drawn, if it is not the parser's. */
  command() {
    const { tree, given, parsed } = this.history.state;
    if (!parsed) return drawCommand(tree.conllu);
    return parseCommand(this.model, onlyGiven(tree.conllu, given), " --constrained");
  }

  tree() {
    const drawing = correctedTree(this.history.state);
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
    scrollToWord(this.drawing, this.candidate || this.word);
    const { tree, given } = this.history.state;
    const labels = this.about.models.find(({ name }) => name === this.model)?.labels ?? [];
    const control = this.form?.focused();
    const form = new ArcForm(tree, this.word, given[this.word], labels, {
      give: (head, label) => this.give(this.word, head, label),
      toggle: () => this.toggle(),
    });
    this.form = form;
    this.panel.replaceChildren(form.element);
    if (control) form[control].focus();
  }

  keep() {
    const { at, model } = this;
    keep({ states: this.sentences.map(({ state }) => state), at, model });
  }

  restore() {
    const found = kept();
    if (found === null) return;
    this.sentences = found.states.map((state) => new History(state));
    this.at = Math.max(0, Math.min(found.at, this.sentences.length - 1));
    if (this.about.models.some(({ name }) => name === found.model)) this.model = found.model;
  }
}
