// One system at work: its configuration, its legal moves with their costs, the gold tree, and the way so far.

import { ask, Queue } from "./api.js";
import { configuration } from "./configuration.js";
import { button, check, el, field, iconButton, message, say, select } from "./dom.js";
import { goldTree, legend, preview } from "./gold_tree.js";
import { lattice, markNode } from "./lattice.js";
import { moveList, shownMoves, told, trace } from "./moves.js";
import { framed, scrollToWord } from "./tree.js";

export class Panel {
  /** `lesson` is the sentence with its gold tree; `start` has system, oracle, options and moves. */
  constructor(about, lesson, start, onchange) {
    this.about = about;
    this.lesson = lesson;
    this.onchange = onchange;
    this.setSystem(start.system, start.oracle, start.options);
    this.moves = [...start.moves];
    this.undone = [];
    this.queue = new Queue();
    this.element = el("section", { class: "card system", "aria-label": `System ${this.system}` });
    this.head = el("div", { class: "row head" });
    this.body = el("div", { class: "body" });
    this.lattice = el("details", { class: "lattice-place" }, el("summary", {}, "All correct derivations"));
    this.graph = el("div");
    this.lattice.append(this.graph);
    this.lattice.addEventListener("toggle", () => this.lattice.open && this.drawLattice());
    this.element.append(this.head, this.body, this.lattice);
    this.drawHead();
  }

  get place() {
    return { system: this.system, oracle: this.oracle, options: this.options, moves: this.moves };
  }

  get entry() {
    return this.about.systems.find(({ name }) => name === this.system);
  }

  get request() {
    const { words, heads, labels, labelled } = this.lesson;
    return { words, heads, labels: labelled ? labels : null, ...this.place };
  }

  setSystem(system, oracle, options = {}) {
    const known = this.about.systems.some(({ name }) => name === system);
    this.system = known ? system : this.about.systems[0].name;
    const { oracles } = this.entry;
    this.oracle = oracles.includes(oracle) ? oracle : oracles.includes("dynamic") ? "dynamic" : oracles.at(-1);
    this.options = options;
  }

  setOracle(oracle) {
    this.oracle = oracle;
    this.jump(this.moves);
  }

  drawHead() {
    const names = this.about.systems.map(({ name }) => name);
    const controls = () => [...this.head.querySelectorAll("select, input")];
    const choose = (system, oracle, options) => {
      const focused = controls().indexOf(document.activeElement);
      this.setSystem(system, oracle, options);
      this.element.setAttribute("aria-label", `System ${this.system}`);
      this.drawHead();
      controls()[focused]?.focus();
      this.jump([]);
    };
    const options = Object.entries(this.entry.options).map(([key, values]) => {
      const set = (value) => choose(this.system, this.oracle, { ...this.options, [key]: value });
      return field(key.replaceAll("_", " "), select(values, this.options[key] ?? values[0], set));
    });
    const single = el("input", { type: "checkbox", checked: this.options.single_root === true });
    single.addEventListener("change", () => {
      const { single_root: _, ...others } = this.options;
      choose(this.system, this.oracle, single.checked ? { ...others, single_root: true } : others);
    });
    this.head.replaceChildren(
      field(
        "System",
        select(names, this.system, (system) => choose(system, this.oracle, {})),
      ),
      field(
        "Oracle",
        select(this.entry.oracles, this.oracle, (oracle) => this.setOracle(oracle)),
      ),
      ...options,
      check("One root", single),
      el("p", { class: "hint" }, `${this.entry.paper}; builds ${this.entry.builds}.`),
      ...(this.close ? [this.close] : []),
    );
  }

  /** Go to the configuration after these moves. */
  jump(moves, undone = []) {
    return this.queue.run(() => this.move(moves, undone));
  }

  take(name) {
    return this.queue.run(() => {
      const move = this.answer.moves.find((legal) => legal.name === name);
      const undone = this.undone[0] === name ? this.undone.slice(1) : [];
      return move && this.move([...this.moves, name], undone, told(move, this.lesson));
    });
  }

  forward() {
    return this.queue.run(() => {
      const [name] = this.whole.slice(this.moves.length);
      const move = this.answer.moves.find((legal) => legal.name === name);
      return move && this.move([...this.moves, name], this.undone.slice(1), told(move, this.lesson));
    });
  }

  back() {
    return this.goTo(() => Math.max(0, this.moves.length - 1));
  }

  goTo(place) {
    return this.queue.run(() => {
      const whole = this.whole;
      const count = typeof place === "function" ? place(whole) : place;
      return this.move(whole.slice(0, count), whole.slice(count), `After ${count} moves`);
    });
  }

  async move(moves, undone, words = "") {
    const request = { ...this.request, moves };
    try {
      this.answer = await ask("step", request);
      this.moves = moves;
      this.undone = undone;
      this.draw();
      if (words) say(words);
    } catch (error) {
      this.body.querySelector(".message.fault")?.remove();
      this.body.prepend(message(error.message, "fault", [button("From the start", () => this.jump([]))]));
    }
    this.onchange();
    if (this.lattice.open) this.drawLattice();
  }

  /** The moves so far and those that would follow, and how many of them are taken. */
  get whole() {
    return [...this.moves, ...(this.undone.length > 0 ? this.undone : this.answer.rest)];
  }

  key(event) {
    const { moves } = this.answer ?? { moves: [] };
    const number = Number(event.key);
    const action =
      event.key === "ArrowRight" || event.key === "n"
        ? () => this.forward()
        : event.key === "ArrowLeft" || event.key === "u"
          ? () => this.back()
          : event.key === "Home"
            ? () => this.goTo(0)
            : event.key === "End"
              ? () => this.goTo((whole) => whole.length)
              : number >= 1 && number <= moves.length
                ? () => this.take(shownMoves(this.answer, this.lesson)[number - 1].name)
                : null;
    if (action === null || !this.answer) return;
    event.preventDefault();
    action();
  }

  draw() {
    const { answer, lesson } = this;
    const focused = this.body.contains(document.activeElement) ? document.activeElement : null;
    const drawing = goldTree(answer, lesson);
    const notes = [];
    if (answer.problem) notes.push(message(`${answer.problem} Costs are what the formula says.`));
    if (answer.gave_up)
      notes.push(message("The search for the fewest swaps took too long: this is the lazy derivation."));
    this.body.replaceChildren(
      ...notes,
      this.controls(),
      configuration(answer.lists, lesson.words, drawing.layout.rightToLeft),
      moveList(answer, lesson, { take: (name) => this.take(name), preview: (move) => preview(drawing, move, lesson) }),
      framed(drawing, "Gold tree, and what has been built of it"),
      legend(answer, lesson),
      trace(answer, (count) => this.goTo(count)),
    );
    markNode(this.graph, answer.key);
    scrollToWord(drawing, nextWord(answer.lists));
    if (focused) this.refocus(focused);
  }

  /** Everything is drawn anew: put the focus where it was, or to the first move. */
  refocus(before) {
    const name = before.getAttribute("aria-label");
    const same =
      name &&
      [...this.body.querySelectorAll("button, input, .frame")].find(
        (node) => node.getAttribute("aria-label") === name && !node.disabled,
      );
    (same || this.body.querySelector(".move") || this.body.querySelector(".controls button:enabled"))?.focus();
  }

  controls() {
    const { whole } = this;
    const slider = el("input", {
      type: "range",
      min: 0,
      max: whole.length,
      value: this.moves.length,
      "aria-label": "Place in the derivation",
      onchange: (event) => this.goTo(Number(event.target.value)),
    });
    const isEnd = whole.length === this.moves.length;
    return el(
      "div",
      { class: "row controls" },
      iconButton("first", "To the start", () => this.goTo(0), { disabled: this.moves.length === 0 }),
      iconButton("back", "Undo (←)", () => this.back(), { disabled: this.moves.length === 0 }),
      iconButton("next", "Next move (→)", () => this.forward(), { class: "main", disabled: isEnd }),
      iconButton("last", "To the end", () => this.goTo((all) => all.length), { disabled: isEnd }),
      slider,
      el("span", { class: "place" }, `${this.moves.length} of ${whole.length}`),
    );
  }

  async drawLattice() {
    const { moves: _, ...request } = this.request;
    const key = JSON.stringify(request);
    if (key !== this.drawnKey) {
      this.drawnKey = key;
      try {
        const found = await lattice(request, (moves) => this.jump(moves));
        if (key === this.drawnKey) this.graph.replaceChildren(found);
      } catch (error) {
        this.graph.replaceChildren(message(error.message));
      }
    }
    markNode(this.graph, this.answer?.key);
    const here = this.graph.querySelector(".node.here");
    const frame = this.graph.querySelector(".frame");
    if (here && frame) centre(frame, here);
  }
}

/** The word that is met next: the front of the buffer, or at the end the top of the stack. */
function nextWord(lists) {
  const [front] = lists.at(-1)[1];
  return front ?? lists[0][1].at(-1);
}

function centre(frame, node) {
  const [box, at] = [frame.getBoundingClientRect(), node.getBoundingClientRect()];
  frame.scrollBy(at.left + at.width / 2 - box.left - box.width / 2, at.top + at.height / 2 - box.top - box.height / 2);
}
