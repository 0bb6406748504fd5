// The gold tree of a lesson: which of its arcs are built, lost or still open, and below the words what is wrong.

import { el } from "./dom.js";
import { drawTree } from "./tree.js";

const NOTES = { lost: "✗", built: "✓", perhaps: "?", open: "" };

/** An arc in words. Each word is isolated, so that one that is written from right to left does not turn the arrow. */
export function arcName(lesson, d, head = lesson.heads[d - 1]) {
  const isolated = (word) => `\u2068${word}\u2069`;
  return `${head === 0 ? "ROOT" : isolated(lesson.words[head - 1])} → ${isolated(lesson.words[d - 1])}`;
}

export function goldTree(answer, lesson) {
  const isBuilt = (k) =>
    answer.heads[k] === lesson.heads[k] && (!lesson.labelled || answer.labels[k] === lesson.labels[k]);
  const arcs = lesson.heads.map((head, k) => {
    const state = answer.lost.includes(k + 1)
      ? "lost"
      : isBuilt(k)
        ? "built"
        : answer.perhaps.includes(k + 1)
          ? "perhaps"
          : "open";
    return { head, dependent: k + 1, label: lesson.labels?.[k] ?? "", note: NOTES[state], classes: `gold ${state}` };
  });
  answer.heads.forEach((head, k) => {
    if (head === null || isBuilt(k)) return;
    arcs.push({ head, dependent: k + 1, label: answer.labels[k] ?? "", classes: "wrong", side: -1 });
  });
  const marks = {};
  for (const [name, nodes] of answer.lists) for (const node of nodes) marks[node] = `in-${name}`;
  lesson.words.forEach((_, k) => (marks[k + 1] ??= "done"));
  const told = arcs.map((arc) => `${arcName(lesson, arc.dependent, arc.head)} ${arc.classes}`).join(", ");
  return drawTree({ words: lesson.words, arcs, marks, title: `Gold tree: ${told}` });
}

/** Mark in the drawing what a move would build and lose; null: nothing. */
export function preview(drawing, move, lesson) {
  for (const arc of drawing.querySelectorAll(".arc.gold")) {
    const word = Number(arc.getAttribute("data-word"));
    const loses = move !== null && move.lost.includes(word);
    const builds = move?.adds && move.adds[1] === word && move.adds[0] === lesson.heads[word - 1];
    arc.classList.toggle("would-lose", loses);
    arc.classList.toggle("would-exclude", move !== null && move.perhaps.includes(word));
    arc.classList.toggle("would-build", Boolean(builds) && !loses);
  }
}

export function legend(answer, lesson) {
  const cost = answer.taken.reduce((sum, move) => sum + (move.cost ?? 0), 0);
  const lost = answer.lost.map((d) => arcName(lesson, d)).join(", ");
  const signs = ["✓ built", "✗ lost"];
  if (answer.perhaps.length > 0) signs.push("? reachable, but not together with others");
  return el(
    "p",
    { class: "legend" },
    el("span", {}, signs.join(" · ")),
    answer.costs && el("span", { class: cost > 0 ? "bad" : "" }, `Cost so far: ${cost}`),
    lost !== "" && el("span", { class: "bad" }, `Lost: ${lost}`),
  );
}
