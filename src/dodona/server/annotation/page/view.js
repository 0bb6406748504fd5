// A view of a sentence, as the server sends it: what is open in it, and how it is drawn.

import { described } from "./parse.js";
import { drawTree, percent, shade } from "./tree.js";

export const COLUMNS = ["arc", "upos", "feats", "lemma", "token"]; // what can be confirmed
const SIGNS = { confirmed: "✓", changed: "✎" };

/** The columns of a view as lists, as other drawings have them. */
export function treeOf({ words }) {
  const column = (name) => words.map((word) => word[name]);
  return { words: column("form"), heads: column("head"), labels: column("label"), upos: column("upos") };
}

/** How sure an arc or a tag is: 1 if a person has marked it, null if nobody knows. */
function sureness(word, column) {
  return word.marks[column] ? 1 : (word.confidence?.[column] ?? null);
}

/**
 * Whether a person should look: an arc that is not marked and less sure than the threshold, or a tag that the word does
 * not have as often as not. How sure a tag is comes from counts, which are small at first, and would doubt every word.
 */
export function isOpen(word, column, threshold) {
  if (word.marks[column]) return false;
  const sure = sureness(word, column);
  if (column === "upos") return sure !== null && sure < Math.min(threshold, 0.5);
  return sure === null || sure < threshold;
}

/** How many arcs and tags of a view are open. */
export function countOpen({ words }, threshold) {
  return words.reduce((sum, word) => sum + ["arc", "upos"].filter((name) => isOpen(word, name, threshold)).length, 0);
}

/** The number of the word whose arc or tag is the least sure of those that are not marked, or null. */
export function mostDoubtful({ words }) {
  const doubts = words.flatMap((word, k) =>
    ["arc", "upos"]
      .filter((name) => (name === "arc" ? !word.marks.arc : isOpen(word, name, 1)))
      .map((name) => ({ number: k + 1, sure: sureness(word, name) ?? 0 })),
  );
  doubts.sort((one, other) => one.sure - other.sure);
  return doubts[0]?.number ?? null;
}

/** A mark or a confidence in a few letters. */
export function noteOf(word, column) {
  const sure = sureness(word, column);
  return SIGNS[word.marks[column]] ?? (sure === null ? "" : percent(sure));
}

/** The arc of a word, in words. */
export function arcText({ words }, number) {
  const { form, head, label } = words[number - 1];
  if (head === null) return `${form} has no head`;
  return `${form} is ${label} of ${head === 0 ? "ROOT" : words[head - 1].form}`;
}

/** How a version differs from a view, by word: whether in its arc, and in its tag. */
export function differences({ words }, version) {
  return words.map(({ head, label, upos }, k) => ({
    arc: version.heads !== null && (version.heads[k] !== head || version.labels[k] !== label),
    upos: version.upos !== null && version.upos[k] !== upos,
  }));
}

/**
 * The drawing of a view. Strong lines are sure; dashed ones are open; what a person has marked has a sign. Where `other`,
 * a version, differs, its arcs are below the words, and its tags beside those of the view.
 */
export function drawView(view, threshold, other = null) {
  const { words, changed } = view;
  const differs = other === null ? [] : differences(view, other);
  const arcs = words.flatMap((word, k) => {
    if (word.head === null) return [];
    return [{ head: word.head, dependent: k + 1, label: word.label, note: noteOf(word, "arc"), classes: classes(k) }];
  });
  function classes(k) {
    const mark = words[k].marks.arc;
    const guess = isOpen(words[k], "arc", threshold) ? `open ${shade(words[k].confidence?.arc ?? 0)}` : "accepted";
    return [mark ? "given" : guess, changed.includes(k + 1) && !mark ? "changed" : ""].join(" ").trim();
  }
  differs.forEach((differ, k) => {
    if (!differ.arc || other.heads[k] === null) return;
    arcs.push({ head: other.heads[k], dependent: k + 1, label: other.labels[k], classes: "other", side: -1 });
  });
  const tags = words.map((word, k) => {
    const sign = word.marks.upos ? ` ${SIGNS[word.marks.upos]}` : isOpen(word, "upos", threshold) ? " ?" : "";
    return `${word.upos}${sign}${differs[k]?.upos ? ` ≠ ${other.upos[k]}` : ""}`;
  });
  const marks = Object.fromEntries(
    words.map((word, k) => {
      const names = [
        isOpen(word, "upos", threshold) && "tag-open",
        word.marks.upos && "tag-marked",
        differs[k]?.upos && "tag-differs",
      ];
      return [k + 1, names.filter(Boolean).join(" ")];
    }),
  );
  const lemmas = words.some(({ lemma }) => lemma !== "_") ? words.map(({ lemma }) => lemma) : [];
  const tree = treeOf(view);
  const drawing = drawTree({ words: tree.words, tags, lemmas, multiword: view.multiword, arcs, marks, title: "" });
  drawing.setAttribute("role", "presentation"); // the frame around it has the name, and takes the keys
  drawing.removeAttribute("aria-label");
  for (const arc of drawing.querySelectorAll(".arc:not(.other)")) {
    const sure = sureness(words[Number(arc.getAttribute("data-word")) - 1], "arc") ?? 0;
    arc.style.setProperty("--strength", String(0.9 + 2 * sure));
  }
  return drawing;
}

/** A view in words, for those who do not see it. */
export function describeView(view) {
  const { words, heads, labels } = treeOf(view);
  return described({ words, heads: heads.map((head) => head ?? 0), labels });
}
