// Trees that are corrected: how they are drawn, and what changes from one to the next.

import { described } from "./parse.js";
import { drawTree, percent, shade } from "./tree.js";

/** A state has a tree, its given arcs by word, and the words whose arcs have changed. */
export function correctedTree({ tree, given, changed }) {
  const arcs = tree.heads.map((head, k) => {
    const isGiven = given[k + 1] !== undefined;
    const confidence = tree.confidence[k] ?? null;
    const classes = isGiven ? "given" : `${shade(confidence)}${changed.includes(k + 1) ? " changed" : ""}`;
    const note = isGiven ? "✓" : confidence === null ? "" : percent(confidence);
    return { head, dependent: k + 1, label: tree.labels[k], note, classes };
  });
  const { words, upos, multiword } = tree;
  const drawing = drawTree({ words, tags: upos, multiword, arcs, title: described(tree) });
  drawing.setAttribute("role", "presentation"); // the frame around it has the name, and takes the keys
  drawing.removeAttribute("aria-label");
  return drawing;
}

/** The arc of a word, in words. */
export function arcText(tree, word) {
  const head = tree.heads[word - 1];
  return `${tree.words[word - 1]} is ${tree.labels[word - 1]} of ${head === 0 ? "ROOT" : tree.words[head - 1]}`;
}

/** Words whose arcs are not the same. */
export function differences(one, other) {
  const words = one.heads.map((_, k) => k + 1);
  return words.filter((d) => one.heads[d - 1] !== other.heads[d - 1] || one.labels[d - 1] !== other.labels[d - 1]);
}

/** A given arc is certain. One that did not change is as sure as before: that another one was given says little of it. */
export function withConfidence(tree, before, given) {
  const changed = differences(tree, before);
  const known = before.confidence.length > 0 ? before.confidence : tree.confidence;
  const confidence = known.map((value, k) => (given[k + 1] ? 1 : changed.includes(k + 1) ? tree.confidence[k] : value));
  return { ...tree, confidence };
}

/** CoNLL-U in which only given arcs have a head, for a parse around them. */
export function onlyGiven(conllu, given) {
  const lines = conllu.split("\n").map((line) => {
    if (!/^\d+\t/.test(line)) return line;
    const columns = line.split("\t");
    const arc = given[columns[0]];
    columns.splice(6, 2, arc?.head ?? "_", arc?.label ?? "_");
    return columns.join("\t");
  });
  return lines.join("\n");
}

/** The word whose arc is the least sure of those that are not given. */
export function mostDoubtful({ tree, given }) {
  const open = tree.heads.map((_, k) => k + 1).filter((word) => !given[word]);
  const value = (word) => tree.confidence[word - 1] ?? 1;
  return open.sort((one, other) => value(one) - value(other))[0];
}
