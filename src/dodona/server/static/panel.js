// One system at work: its configuration, its legal moves with their costs, the gold tree, and the way so far.

import { ask, latest } from "./api.js";
import { button, check, el, field, message, say, select } from "./dom.js";
import { configuration } from "./configuration.js";
import { lattice, markNode } from "./lattice.js";
import { drawTree, framed, isRightToLeft } from "./tree.js";

const FEW = 9; // moves that are shown at once

export class Panel {
  /** `lesson` is the sentence with its gold tree; `start` has system, oracle, options and moves. */
  constructor(about, lesson, start, onchange) {
    this.about = about;
    this.lesson = lesson;
    this.onchange = onchange;
    this.setSystem(start.system, start.oracle, start.options);
    this.moves = [...start.moves];
    this.undone = [];
    this.ask = latest((request) => ask("step", request));
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

  /** Another sentence, or the same one with other labels. */
  setLesson(lesson) {
    this.lesson = lesson;
    this.jump([]);
  }

  drawHead() {
    const names = this.about.systems.map(({ name }) => name);
    const choose = (system, oracle, options) => {
      this.setSystem(system, oracle, options);
      this.element.setAttribute("aria-label", `System ${this.system}`);
      this.drawHead();
      this.jump([]);
    };
    const options = Object.entries(this.entry.options).map(([key, values]) =>
      field(
        key.replaceAll("_", " "),
        select(values, this.options[key] ?? values[0], (value) => choose(this.system, this.oracle, { ...this.options, [key]: value })),
      ),
    );
    const single = el("input", { type: "checkbox", checked: this.options.single_root === true });
    single.addEventListener("change", () => {
      const { single_root: _, ...others } = this.options;
      choose(this.system, this.oracle, single.checked ? { ...others, single_root: true } : others);
    });
    this.head.replaceChildren(
      field("System", select(names, this.system, (system) => choose(system, this.oracle, {}))),
      field("Oracle", select(this.entry.oracles, this.oracle, (oracle) => {
        this.oracle = oracle;
        this.jump(this.moves);
      })),
      ...options,
      check("One root", single),
      ...(this.close ? [this.close] : []),
    );
  }

  /** Go to the configuration after these moves. */
  async jump(moves, told = "") {
    const before = this.moves;
    this.moves = moves;
    try {
      const answer = await this.ask(this.request);
      if (answer === null) return;
      this.answer = answer;
      this.draw();
      if (told) say(told);
    } catch (error) {
      if (this.answer) this.moves = before;
      this.element.querySelector(".message.fault")?.remove();
      this.body.prepend(message(error.message, "fault"));
      if (this.moves.length > 0 && !this.answer) this.body.append(button("From the start", () => this.jump([])));
    }
    this.onchange();
    this.drawLatticeIfOpen();
  }

  take(name) {
    const move = this.answer.moves.find((legal) => legal.name === name);
    if (!move) return undefined;
    const follows = this.undone[0] === name;
    this.undone = follows ? this.undone.slice(1) : [];
    return this.jump([...this.moves, name], told(move, this.lesson));
  }

  forward() {
    const name = this.undone[0] ?? this.answer.rest[0];
    return name ? this.take(name) : undefined;
  }

  back() {
    if (this.moves.length === 0) return undefined;
    this.undone = [this.moves.at(-1), ...this.undone];
    return this.jump(this.moves.slice(0, -1), "Undone");
  }

  /** The moves so far and those that would follow, and how many of them are taken. */
  get whole() {
    return [...this.moves, ...(this.undone.length > 0 ? this.undone : this.answer.rest)];
  }

  goTo(count) {
    const whole = this.whole;
    this.undone = whole.slice(count);
    return this.jump(whole.slice(0, count));
  }

  key(event) {
    const { moves } = this.answer ?? { moves: [] };
    const number = Number(event.key);
    const action =
      event.key === "ArrowRight" || event.key === "n" ? () => this.forward()
      : event.key === "ArrowLeft" || event.key === "u" ? () => this.back()
      : event.key === "Home" ? () => this.goTo(0)
      : event.key === "End" ? () => this.goTo(this.whole.length)
      : number >= 1 && number <= moves.length ? () => this.take(this.sorted[number - 1].name)
      : null;
    if (action === null || !this.answer) return;
    event.preventDefault();
    action();
  }

  /** Right moves first, and then the cheap ones; otherwise in the order of the system. */
  get sorted() {
    const rank = (move) => (move.right ? -1 : move.cost ?? move.lost.length + 1);
    return this.answer.moves.map((move, i) => [move, i]).sort(([a, i], [b, j]) => rank(a) - rank(b) || i - j).map(([move]) => move);
  }

  draw() {
    const { answer, lesson } = this;
    const rightToLeft = isRightToLeft(lesson.words);
    const tree = framed(this.tree(), "Gold tree, and what has been built of it");
    this.body.replaceChildren(
      ...(answer.problem ? [message(`${answer.problem} Costs are what the formula says.`)] : []),
      ...(answer.gave_up ? [message("The search for the fewest swaps ran out of its budget: this is the lazy derivation.")] : []),
      this.controls(),
      configuration(answer.lists, lesson.words, rightToLeft),
      this.moveList(),
      tree,
      this.legend(),
      this.trace(),
    );
    markNode(this.graph, answer.key);
  }

  controls() {
    const { whole } = this;
    const slider = el("input", {
      type: "range", min: 0, max: whole.length, value: this.moves.length, "aria-label": "Place in the derivation",
      onchange: (event) => this.goTo(Number(event.target.value)),
    });
    const end = this.answer.end;
    return el(
      "div",
      { class: "row controls" },
      button("⏮", () => this.goTo(0), { "aria-label": "To the start", disabled: this.moves.length === 0 }),
      button("◀", () => this.back(), { "aria-label": "Undo", title: "←", disabled: this.moves.length === 0 }),
      button("▶", () => this.forward(), { "aria-label": "Next move", title: "→", class: "main", disabled: end || whole.length === this.moves.length }),
      button("⏭", () => this.goTo(whole.length), { "aria-label": "To the end", disabled: end || whole.length === this.moves.length }),
      slider,
      el("span", { class: "place" }, `${this.moves.length} of ${whole.length}`),
    );
  }

  moveList() {
    const { answer } = this;
    if (answer.end) return message(ending(answer), answer.lost.length > 0 ? "bad" : "good");
    const buttons = this.sorted.map((move, i) => this.moveButton(move, i));
    const more = buttons.splice(FEW);
    const silent = !answer.moves.some(({ right }) => right);
    const why = Object.entries(answer.illegal).map(([verb, reason]) => el("li", {}, el("b", {}, verb), ` ${reason}`));
    return el(
      "div",
      { class: "moves" },
      silent && message(silence(answer)),
      el("div", { class: "buttons" }, buttons),
      more.length > 0 && el("details", {}, el("summary", {}, `${more.length} more moves`), el("div", { class: "buttons" }, more)),
      why.length > 0 && el("details", { class: "why" }, el("summary", {}, "Not legal here"), el("ul", {}, why)),
    );
  }

  moveButton(move, i) {
    const { words } = this.lesson;
    const named = (k) => (k === 0 ? "ROOT" : words[k - 1]);
    const arc = move.adds && `${named(move.adds[0])} → ${named(move.adds[1])}`;
    const cost = move.cost ?? (move.right ? "right" : move.lost.length > 0 ? `≥ ${move.lost.length}` : "?");
    const kind = move.right ? "right" : move.cost === 0 ? "free" : move.cost === null && move.lost.length === 0 ? "" : "wrong";
    const losing = () => this.preview(move);
    const node = el(
      "button",
      {
        type: "button",
        class: `move ${kind}`,
        "data-move": move.name,
        onclick: () => this.take(move.name),
        onpointerenter: losing,
        onfocus: losing,
        onpointerleave: () => this.preview(null),
        onblur: () => this.preview(null),
      },
      i < 9 && el("kbd", { "aria-hidden": "true" }, String(i + 1)),
      el("span", { class: "name" }, move.name),
      el("span", { class: "cost" }, move.cost === null ? String(cost) : `cost ${cost}`),
      arc && el("span", { class: "arc-text", dir: "auto" }, arc),
      move.lost.length > 0 && el("span", { class: "loses" }, `loses ${move.lost.map((d) => arcName(this.lesson, d)).join(", ")}`),
      move.cost !== null && move.cost > move.lost.length && !this.answer.problem &&
        el("span", { class: "loses" }, "arcs exclude each other then"),
    );
    return node;
  }

  /** Mark in the tree what a move would build and lose. */
  preview(move) {
    for (const arc of this.body.querySelectorAll(".tree .arc.gold")) {
      const word = Number(arc.getAttribute("data-word"));
      arc.classList.toggle("would-lose", move !== null && move.lost.includes(word));
      const builds = move?.adds && move.adds[1] === word && move.adds[0] === this.lesson.heads[word - 1];
      arc.classList.toggle("would-build", Boolean(builds) && !move.lost.includes(word));
    }
  }

  tree() {
    const { answer, lesson } = this;
    const built = (k) => answer.heads[k] === lesson.heads[k] && (!lesson.labelled || answer.labels[k] === lesson.labels[k]);
    const arcs = lesson.heads.map((head, k) => {
      const d = k + 1;
      const lost = answer.lost.includes(d);
      const perhaps = answer.perhaps.includes(d);
      const state = lost ? "lost" : built(k) ? "built" : perhaps ? "perhaps" : "open";
      const note = { lost: "✗", built: "✓", perhaps: "?", open: "" }[state];
      return { head, dependent: d, label: lesson.labels?.[k] ?? "", note, classes: `gold ${state}` };
    });
    answer.heads.forEach((head, k) => {
      if (head === null || built(k)) return;
      arcs.push({ head, dependent: k + 1, label: answer.labels[k] ?? "", classes: "wrong", side: -1 });
    });
    const marks = {};
    for (const [name, nodes] of answer.lists) for (const node of nodes) marks[node] = `in-${name}`;
    lesson.words.forEach((_, k) => (marks[k + 1] ??= "done"));
    const told = arcs.map((arc) => `${arcName(lesson, arc.dependent, arc.head)} ${arc.classes}`).join(", ");
    return drawTree({ words: lesson.words, arcs, marks, title: `Gold tree: ${told}` });
  }

  legend() {
    const { answer } = this;
    const count = answer.taken.reduce((sum, { cost }) => sum + (cost ?? 0), 0);
    const lost = answer.lost.map((d) => arcName(this.lesson, d)).join(", ");
    const parts = ["✓ built", "✗ lost"];
    if (answer.perhaps.length > 0) parts.push("? cannot be kept together with others");
    return el(
      "p",
      { class: "legend" },
      el("span", {}, parts.join(" · ")),
      answer.costs && el("span", { class: count > 0 ? "bad" : "" }, ` Cost so far: ${count}.`),
      lost !== "" && el("span", { class: "bad" }, ` Lost: ${lost}.`),
    );
  }

  trace() {
    const items = this.answer.taken.map((move, i) => {
      const bad = move.cost > 0 || (move.cost === null && move.lost.length > 0);
      const text = move.cost > 0 ? `${move.name} (${move.cost})` : move.name;
      const isLast = i + 1 === this.moves.length;
      return el("li", {}, button(text, () => this.goTo(i + 1), {
        class: bad ? "bad" : "",
        "aria-current": isLast ? "step" : null,
        "aria-label": `After move ${i + 1}: ${text}`,
      }));
    });
    if (items.length === 0) return el("p", { class: "hint" }, "No moves yet.");
    return el("ol", { class: "trace", "aria-label": "Moves so far" }, items);
  }

  drawLatticeIfOpen() {
    if (this.lattice.open) this.drawLattice();
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

function centre(frame, node) {
  const [box, at] = [frame.getBoundingClientRect(), node.getBoundingClientRect()];
  frame.scrollBy(at.left + at.width / 2 - box.left - box.width / 2, at.top + at.height / 2 - box.top - box.height / 2);
}

function arcName(lesson, d, head = lesson.heads[d - 1]) {
  return `${head === 0 ? "ROOT" : lesson.words[head - 1]} → ${lesson.words[d - 1]}`;
}

/** What a move did, in words. */
function told(move, lesson) {
  if (move.lost.length > 0) return `${move.name}: ${move.lost.map((d) => arcName(lesson, d)).join(", ")} lost`;
  return move.cost > 0 ? `${move.name}: cost ${move.cost}` : move.name;
}

function ending(answer) {
  if (answer.lost.length === 0) return "The end: this is the gold tree.";
  const words = answer.lost.length === 1 ? "one word has" : `${answer.lost.length} words have`;
  return `The end: ${words} a wrong head or label.`;
}

function silence(answer) {
  if (!answer.costs) return `The oracle ${answer.oracle} has nothing to say here: from here it cannot reach the gold tree.`;
  return `The ${answer.oracle} oracle knows one derivation only, and this is not on it. The costs are those of the dynamic oracle.`;
}
