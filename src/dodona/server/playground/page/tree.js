// A dependency tree as a drawing: words in a line, arcs above them, and, where a view needs it, arcs below.

import { svg } from "./dom.js";
import { laidOut, LEVEL, mirrored } from "./layout.js";

const WORD_FONT = "500 17px system-ui, sans-serif";
const LABEL_FONT = "12.5px system-ui, sans-serif";
const TAG_FONT = "11px system-ui, sans-serif";
const bold = (font) => `700 ${font}`; // for what may be bold, or is so later
const ROUND = 9; // radius of the corners of an arc
const FORM = 32; // height of the words
const TAG = 16; // and of their tags
const HEADROOM = 16;
const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

const pen = document.createElement("canvas").getContext("2d");

function widthOf(text, font) {
  pen.font = font;
  return pen.measureText(text).width;
}

/** Whether most words of a sentence that have letters are written from right to left. */
export function isRightToLeft(words) {
  const letters = words.filter((word) => /\p{L}/u.test(word));
  return letters.filter((word) => RIGHT_TO_LEFT.test(word)).length * 2 > letters.length;
}

/** How sure an arc is, as a class for its shade. The number stands beside its label, too. */
export function shade(confidence) {
  if (confidence === null || confidence === undefined) return "";
  return confidence >= 0.95 ? "sure" : confidence >= 0.8 ? "likely" : confidence >= 0.5 ? "doubtful" : "unsure";
}

export function percent(confidence) {
  return `${Math.round(100 * confidence)}%`;
}

/**
 * Draws words (with tags, lemmas and multiword tokens, if there are any) and arcs: head, dependent, label, and optionally a
 * note beside the label, classes, and side (-1: below the words). Returns the drawing with the layout in `layout`.
 */
export function drawTree({ words, tags = [], lemmas = [], multiword = [], arcs, title, marks = {} }) {
  const measured = arcs.map((arc) => ({
    side: 1,
    label: "",
    note: "",
    classes: "",
    ...arc,
    width: widthOf(arc.label ?? "", bold(LABEL_FONT)) + (arc.note ? widthOf(` ${arc.note}`, bold(TAG_FONT)) + 4 : 0) + 2,
  }));
  const below = (k) => Math.max(widthOf(tags[k] ?? "", bold(TAG_FONT)), widthOf(lemmas[k] ?? "", TAG_FONT));
  const widths = words.map((word, k) => Math.max(widthOf(word, WORD_FONT), below(k), 14) + 6);
  const rightToLeft = isRightToLeft(words);
  let layout = laidOut(widths, measured);
  if (rightToLeft) layout = mirrored(layout);
  const band = FORM + (tags.length > 0 ? TAG : 0) + (lemmas.length > 0 ? TAG : 0);
  const line = HEADROOM + layout.above * LEVEL; // where the words begin
  const under = line + band + 2 + (multiword.length > 0 ? 26 : 0);
  const height = under + layout.below * LEVEL + (layout.below > 0 ? HEADROOM : 2);
  const drawing = svg("svg", {
    class: "tree",
    width: Math.ceil(layout.width),
    height,
    viewBox: `0 0 ${Math.ceil(layout.width)} ${height}`,
    role: "img",
    "aria-label": title,
  });
  const behind = [...layout.arcs].sort((one, other) => other.level - one.level);
  drawing.append(...behind.map((arc) => drawArc(arc, arc.side === 1 ? line : under)));
  const shown = words.map((word, k) => [word, tags[k], lemmas[k]]);
  drawing.append(...shown.map((texts, k) => drawWord(texts, k + 1, layout, line, band, marks[k + 1])));
  drawing.append(...multiword.map((token) => drawMultiword(token, layout, line + band + 2)));
  drawing.layout = { ...layout, line, rightToLeft };
  return drawing;
}

function drawArc(arc, ground) {
  const up = arc.side;
  const foot = ground - up * 3;
  const bar = ground - up * (arc.level * LEVEL - 6);
  const d = arc.head === 0 ? `M${arc.to} ${bar}V${foot}` : arcPath(arc.from, arc.to, foot, bar, up);
  const tip = `M${arc.to - 4} ${foot - up * 7}L${arc.to} ${foot}L${arc.to + 4} ${foot - up * 7}Z`;
  const box = { x: arc.labelX - arc.width / 2 - 3, y: bar - 9, width: arc.width + 6, height: 18, rx: 4 };
  const text = svg("text", { class: "label", x: arc.labelX, y: bar + 4.5 }, arc.label);
  if (arc.note) text.append(svg("tspan", { class: "note", dx: 4 }, arc.note));
  return svg(
    "g",
    { class: `arc ${arc.classes}`.trim(), "data-word": arc.dependent, "data-head": arc.head },
    svg("path", { class: "casing", d }),
    svg("path", { class: "line", d }),
    svg("path", { class: "tip", d: tip }),
    svg("path", { class: "grip", d }),
    ...(arc.label || arc.note ? [svg("rect", { class: "paper", ...box }), text] : []),
  );
}

function arcPath(from, to, foot, bar, up) {
  const way = to > from ? 1 : -1;
  const round = Math.min(ROUND, Math.abs(to - from) / 2, Math.abs(foot - bar));
  return (
    `M${from} ${foot}V${bar + up * round}Q${from} ${bar} ${from + way * round} ${bar}` +
    `H${to - way * round}Q${to} ${bar} ${to} ${bar + up * round}V${foot}`
  );
}

function drawWord([word, tag, lemma], number, layout, line, band, mark = "") {
  const x = layout.x[number - 1];
  const wide = layout.widths[number - 1] + 8;
  return svg(
    "g",
    { class: `word ${mark}`.trim(), "data-word": number },
    svg("rect", { class: "cell", x: x - wide / 2, y: line, width: wide, height: band - 2, rx: 7 }),
    svg("text", { class: "form", x, y: line + 20 }, word),
    tag ? svg("text", { class: "tag", x, y: line + 37 }, tag) : null,
    lemma ? svg("text", { class: "lemma", x, y: line + 37 + TAG }, lemma) : null,
  );
}

function drawMultiword([first, last, form], layout, top) {
  const [one, other] = [layout.x[first - 1], layout.x[last - 1]];
  const [low, high] = [Math.min(one, other) - 8, Math.max(one, other) + 8];
  return svg(
    "g",
    { class: "multiword" },
    svg("path", { d: `M${low} ${top}v4H${high}v-4` }),
    svg("text", { x: (low + high) / 2, y: top + 18 }, form),
  );
}

/** The drawing in a frame that scrolls, and that a keyboard can reach. */
export function framed(drawing, label) {
  const frame = document.createElement("div");
  frame.className = "frame";
  frame.tabIndex = 0;
  frame.setAttribute("role", "group");
  frame.setAttribute("aria-label", label);
  if (drawing.layout?.rightToLeft) frame.dir = "rtl";
  frame.append(drawing);
  return frame;
}

/** Scroll a frame by a key, as without the keys of the view it would by itself. */
export function scrollFrame(frame, event) {
  const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (way === undefined) return;
  event.preventDefault();
  frame.scrollBy(80 * way, 0);
}

/** Scroll the frame of a drawing so far that a word is in it. */
export function scrollToWord(drawing, word) {
  const frame = drawing.parentElement;
  const node = drawing.querySelector(`.word[data-word="${word}"]`);
  if (!frame || !node) return;
  const [box, at] = [frame.getBoundingClientRect(), node.getBoundingClientRect()];
  if (at.left < box.left + 20) frame.scrollBy(at.left - box.left - 60, 0);
  if (at.right > box.right - 20) frame.scrollBy(at.right - box.right + 60, 0);
}
