// The view "Oracle": a sentence with its gold tree, and one or two systems that derive it.

import { ask } from "./api.js";
import { button, check, el, field, iconButton, isTyping, message, say, select } from "./dom.js";
import { oracleLink } from "./link.js";
import { copy } from "./output.js";
import { Panel } from "./panel.js";
import { scrollFrame } from "./tree.js";

const FIRST = [{ system: "arc-eager", oracle: "dynamic", options: {}, moves: [] }];
const SECOND = { system: "arc-standard", oracle: "dynamic", options: {}, moves: [] };

export class OracleView {
  constructor(section, about) {
    this.about = about;
    this.section = section;
    this.lesson = { ...about.examples[1], labelled: false, guess: false };
    this.faults = el("div");
    this.place = el("div", { class: "panels" });
    this.panels = [];
    this.active = 0;
    this.bar = el("div", { class: "card form" });
    section.append(this.bar, this.faults, this.place);
    section.addEventListener("focusin", (event) => this.activate(event.target));
    section.addEventListener("pointerdown", (event) => this.activate(event.target));
    document.addEventListener("keydown", (event) => this.key(event));
    this.drawBar();
  }

  /** Show the place that a link leads to, or the first one. */
  open(lesson) {
    if (lesson === null) {
      if (this.panels.length === 0) this.start(this.lesson, FIRST);
      else this.keepLink();
      return;
    }
    const { panels, ...sentence } = lesson;
    this.start(sentence, panels.slice(0, 2));
    this.drawBar();
  }

  /** A tree from another view. */
  take(tree) {
    const panels = this.panels.length > 0 ? this.panels.map((panel) => ({ ...panel.place, moves: [] })) : FIRST;
    const { words, heads, labels } = tree;
    const { labelled, guess } = this.lesson;
    this.start({ words, heads, labels, labelled, guess }, panels);
    this.drawBar();
  }

  start(lesson, places) {
    this.lesson = lesson;
    this.faults.replaceChildren();
    this.panels = places.map((place) => new Panel(this.about, lesson, place, () => this.keepLink()));
    this.active = 0;
    this.drawPanels();
    for (const panel of this.panels) panel.jump(panel.moves);
  }

  drawPanels() {
    this.panels.forEach((panel, i) => {
      panel.close =
        this.panels.length > 1
          ? iconButton("close", "Close this system", () => this.remove(i), { class: "quiet" })
          : null;
      panel.drawHead();
      panel.element.classList.toggle("active", this.panels.length > 1 && i === this.active);
    });
    this.place.classList.toggle("two", this.panels.length > 1);
    this.place.replaceChildren(...this.panels.map(({ element }) => element));
    this.compare.hidden = this.panels.length > 1;
  }

  remove(i) {
    this.panels.splice(i, 1);
    this.active = 0;
    this.drawPanels();
    this.keepLink();
  }

  add() {
    const place = this.panels[0].system === SECOND.system ? FIRST[0] : SECOND;
    const panel = new Panel(this.about, this.lesson, place, () => this.keepLink());
    this.panels.push(panel);
    this.active = 1;
    this.drawPanels();
    panel.jump([]);
  }

  activate(target) {
    const found = this.panels.findIndex(({ element }) => element.contains(target));
    if (found < 0 || found === this.active) return;
    this.active = found;
    this.panels.forEach(({ element }, i) => element.classList.toggle("active", i === found && this.panels.length > 1));
  }

  key(event) {
    if (this.section.hidden || isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    const frame = event.target.closest(".frame");
    if (event.shiftKey && frame !== null) scrollFrame(frame, event);
    else this.panels[this.active]?.key(event);
  }

  keepLink() {
    if (this.section.hidden) return;
    const link = oracleLink({ ...this.lesson, panels: this.panels.map(({ place }) => place) });
    try {
      history.replaceState(null, "", link);
    } catch {
      // some browsers allow only so many changes in a while; the next one brings the link up to date
    }
  }

  drawBar() {
    const { examples } = this.about;
    const same = (example) => example.words.join(" ") === this.lesson.words.join(" ");
    const at = examples.findIndex(same);
    const choices = examples.map(({ title, words }, i) => [i, `${title}: ${words.join(" ")}`]);
    const sentence = select([...(at < 0 ? [[-1, this.lesson.words.join(" ")]] : []), ...choices], at, (i) => {
      const { labelled, guess } = this.lesson;
      this.change({ ...examples[i], labelled, guess });
    });
    const labelled = el("input", { type: "checkbox", checked: this.lesson.labelled });
    labelled.addEventListener("change", () => {
      if (labelled.checked && !this.lesson.labels) {
        labelled.checked = false;
        say("This tree has no labels");
      } else this.change({ ...this.lesson, labelled: labelled.checked });
    });
    const guess = el("input", { type: "checkbox", checked: this.lesson.guess });
    guess.addEventListener("change", () => this.setGuess(guess.checked));
    this.compare = button("Compare two systems", () => this.add());
    this.compare.hidden = this.panels.length > 1;
    this.bar.replaceChildren(
      el(
        "div",
        { class: "row" },
        field("Sentence", sentence, { class: "field wide" }),
        check("With labels", labelled),
        check("Hide costs", guess),
      ),
      this.own(),
      el(
        "div",
        { class: "row" },
        this.compare,
        button("Copy a link to this place", () => copy(location.href, "The link")),
        el("span", { class: "hint" }, "Keys: → next, ← undo, 1–9 take a move, Home and End; with Shift, ← → scroll."),
      ),
    );
  }

  /** Hide the costs, so that a class can guess them; a move shows its cost once it is taken. */
  setGuess(guess) {
    this.lesson = { ...this.lesson, guess };
    for (const panel of this.panels) {
      panel.lesson = this.lesson;
      panel.draw();
    }
    this.keepLink();
  }

  /** A sentence of one's own: parsed by a model, or with heads by hand. */
  own() {
    const text = el("input", { type: "text", maxlength: 400, size: 40, dir: "auto" });
    const words = el("input", { type: "text", value: this.lesson.words.join(" "), dir: "auto" });
    const heads = el("input", { type: "text", value: this.lesson.heads.join(" "), inputmode: "numeric" });
    const labels = el("input", { type: "text", value: (this.lesson.labels ?? []).join(" ") });
    const onenter = (action) => (event) => event.key === "Enter" && action();
    const parse = () => this.parse(text.value);
    const use = () => this.use(words.value, heads.value, labels.value);
    text.addEventListener("keydown", onenter(parse));
    for (const input of [words, heads, labels]) input.addEventListener("keydown", onenter(use));
    return el(
      "details",
      { class: "own" },
      el("summary", {}, "A sentence of your own"),
      el(
        "div",
        { class: "row" },
        field("Text, parsed by the model", text, { class: "field wide" }),
        button("Parse it", parse),
      ),
      el(
        "div",
        { class: "row" },
        field("Words", words, { class: "field wide" }),
        field("Heads, 0 for ROOT", heads, { class: "field wide" }),
        field("Labels, or nothing", labels, { class: "field wide" }),
        button("Use this tree", use),
      ),
    );
  }

  async parse(text) {
    try {
      const answer = await ask("parse", { text });
      const { words, heads, labels } = answer.sentences[0].trees[0];
      const { labelled, guess } = this.lesson;
      this.change({ words, heads, labels, labelled, guess });
    } catch (error) {
      this.faults.replaceChildren(message(error.message, "fault"));
    }
  }

  use(words, heads, labels) {
    const split = (text) => text.split(/\s+/).filter((part) => part !== "");
    const named = split(labels);
    const lesson = {
      words: split(words),
      heads: split(heads).map((head) => (/^[0-9]+$/.test(head) ? Number(head) : head)),
      labels: named.length > 0 ? named : null,
      labelled: this.lesson.labelled && named.length > 0,
      guess: this.lesson.guess,
    };
    this.change(lesson);
  }

  /** Take another sentence, if the server takes it. */
  async change(lesson) {
    const { words, heads, labels } = lesson;
    const { system, oracle, options } = this.panels[0].place;
    try {
      await ask("step", { words, heads, labels, system, oracle, options });
    } catch (error) {
      this.faults.replaceChildren(message(error.message, "fault"));
      return;
    }
    this.start(
      lesson,
      this.panels.map((panel) => ({ ...panel.place, moves: [] })),
    );
    this.drawBar();
  }
}
