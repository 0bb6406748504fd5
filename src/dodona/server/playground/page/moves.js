// The legal moves of a configuration, with their costs and what they lose, and the moves that led to it.

import { button, el, message } from "./dom.js";
import { arcName } from "./gold_tree.js";

const FEW = 9; // moves that are shown at once, and that have a key

/** Moves that the oracle takes first, and then the cheap ones; otherwise in the order of the system. */
function sorted(moves) {
  const rank = (move) => (move.right ? -1 : (move.cost ?? move.lost.length + 1));
  return [...moves].sort((one, other) => rank(one) - rank(other));
}

/** Of moves that differ in their label only, the first stays in its place, and the others go to the end. */
function grouped(moves) {
  const met = new Set();
  const [first, rest] = [[], []];
  for (const move of moves) {
    const [verb] = move.name.split(":");
    const kind = move.adds ? `${verb} ${move.adds[0]} ${move.adds[1]}` : verb;
    (met.has(kind) ? rest : first).push(move);
    met.add(kind);
  }
  return [...first, ...rest];
}

/** The moves in the order in which they are shown; where costs are to be guessed, the order must not tell them. */
export function shownMoves(answer, lesson) {
  return grouped(lesson.guess ? answer.moves : sorted(answer.moves));
}

/** Buttons for all legal moves; `take(name)` and `preview(move)` are called for a click and for a look. */
export function moveList(answer, lesson, { take, preview }) {
  if (answer.end) return message(ending(answer), answer.lost.length > 0 ? "bad" : "good");
  const buttons = shownMoves(answer, lesson).map((move, i) => moveButton(move, i, lesson, { take, preview }));
  const more = buttons.splice(FEW);
  const isSilent = !lesson.guess && !answer.moves.some(({ right }) => right);
  const why = Object.entries(answer.illegal).map(([verb, reason]) => el("li", {}, el("b", {}, verb), ` ${reason}`));
  return el(
    "div",
    { class: "moves" },
    isSilent && message(silence(answer)),
    el("div", { class: "buttons" }, buttons),
    more.length > 0 &&
      el("details", {}, el("summary", {}, `${more.length} more moves`), el("div", { class: "buttons" }, more)),
    why.length > 0 && el("details", { class: "why" }, el("summary", {}, "Not legal here"), el("ul", {}, why)),
  );
}

function moveButton(move, i, lesson, { take, preview }) {
  const isJudged = move.right || move.cost !== null || move.lost.length > 0;
  const kind = lesson.guess ? "" : move.right ? "right" : move.cost === 0 ? "free" : isJudged ? "wrong" : "";
  const lost = move.lost.map((d) => arcName(lesson, d)).join(", ");
  const perhaps = move.perhaps.map((d) => arcName(lesson, d)).join(", ");
  return el(
    "button",
    {
      type: "button",
      class: `move ${kind}`,
      "data-move": move.name,
      onclick: () => take(move.name),
      onpointerenter: () => !lesson.guess && preview(move),
      onfocus: () => !lesson.guess && preview(move),
      onpointerleave: () => preview(null),
      onblur: () => preview(null),
    },
    i < FEW && el("kbd", { "aria-hidden": "true" }, String(i + 1)),
    el("span", { class: "name" }, move.name),
    el("span", { class: "cost" }, lesson.guess ? "?" : costText(move)),
    move.adds && el("span", { class: "adds" }, arcName(lesson, move.adds[1], move.adds[0])),
    lost !== "" && !lesson.guess && el("span", { class: "loses" }, `${move.cost === 0 ? "gives up" : "loses"} ${lost}`),
    perhaps !== "" &&
      !lesson.guess &&
      el("span", { class: "loses" }, `arcs exclude each other then; the best way on loses ${perhaps}`),
  );
}

function costText(move) {
  if (move.cost !== null) return `cost ${move.cost}`;
  if (move.right) return "right";
  return move.lost.length > 0 ? `cost at least ${move.lost.length}` : "not right";
}

/** What a move did, in words. */
export function told(move, lesson) {
  if (move.lost.length > 0) return `${move.name}: ${move.lost.map((d) => arcName(lesson, d)).join(", ")} lost`;
  return move.cost > 0 ? `${move.name}: cost ${move.cost}` : move.name;
}

function ending(answer) {
  if (answer.lost.length === 0) return "The end: this is the gold tree.";
  const words = answer.lost.length === 1 ? "one word has" : `${answer.lost.length} words have`;
  return `The end: ${words} a wrong head or label.`;
}

function silence(answer) {
  if (!answer.costs)
    return `The oracle ${answer.oracle} has nothing to say here: it cannot reach the gold tree any more.`;
  return `The oracle ${answer.oracle} knows one derivation only, and this is not on it. The costs are those of the dynamic oracle.`;
}

/** The moves so far; `goTo(count)` goes back to the place after one of them. */
export function trace(answer, goTo) {
  if (answer.taken.length === 0) return el("p", { class: "hint" }, "No moves yet.");
  const items = answer.taken.map((move, i) => {
    const text = move.cost > 0 ? `${move.name} (${move.cost})` : move.name;
    const attributes = {
      class: move.cost > 0 || move.lost.length > 0 ? "bad" : "",
      "aria-current": i + 1 === answer.taken.length ? "step" : null,
      "aria-label": `After move ${i + 1}: ${text}`,
    };
    return el(
      "li",
      {},
      button(text, () => goTo(i + 1), attributes),
    );
  });
  return el("ol", { class: "trace", "aria-label": "Moves so far" }, items);
}
