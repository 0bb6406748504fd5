// Dragging an arc, or a word, to a new head: with a mouse, a pen or a finger.

import { svg } from "./dom.js";

const FAR = 6; // pixels before a press becomes a drag

/**
 * Watches a drawing of a tree. A press on a word or an arc takes the arc of that word. `onpick(word)` is called for a
 * press without a drag, `ondrop(word, head)` for a drag that ends at another word, or above all arcs: head 0, ROOT.
 */
export function draggable(drawing, { onpick, ondrop }) {
  let drag = null;

  // a finger on a word or an arc takes it, and does not scroll; beside them it scrolls as everywhere
  const hold = (event) => event.target.closest("[data-word]") && event.preventDefault();
  drawing.addEventListener("touchstart", hold, { passive: false });

  drawing.addEventListener("pointerdown", (event) => {
    const taken = event.target.closest("[data-word]");
    if (taken === null || event.button !== 0) return;
    event.preventDefault();
    const word = Number(taken.getAttribute("data-word"));
    drag = { word, from: [event.clientX, event.clientY], moves: false, head: null };
    drawing.setPointerCapture(event.pointerId);
  });

  drawing.addEventListener("pointermove", (event) => {
    if (drag === null) return;
    drag.moves ||= Math.hypot(event.clientX - drag.from[0], event.clientY - drag.from[1]) > FAR;
    if (!drag.moves) return;
    scrolled(drawing.parentElement, event.clientX);
    const at = inside(drawing, event);
    drag.head = headAt(drawing.layout, at, drag.word);
    preview(drawing, drag, at);
  });

  const end = (event) => {
    if (drag === null) return;
    const { word, moves, head } = drag;
    drag = null;
    drawing.querySelector(".preview")?.remove();
    drawing.querySelectorAll(".target").forEach((node) => node.classList.remove("target"));
    if (event.type === "pointercancel") return;
    if (!moves) onpick(word);
    else if (head !== null) ondrop(word, head);
  };
  drawing.addEventListener("pointerup", end);
  drawing.addEventListener("pointercancel", end);
}

function inside(drawing, event) {
  const box = drawing.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

/** The word under or over which the pointer is; ROOT at the upper edge of the drawing; null for the word itself. */
function headAt(layout, [x, y], word) {
  if (y < 14) return 0;
  const distances = layout.x.map((centre, k) => Math.abs(centre - x) - layout.widths[k] / 2);
  const nearest = distances.indexOf(Math.min(...distances)) + 1;
  return nearest === word ? null : nearest;
}

function preview(drawing, { word, head }, [x, y]) {
  const { layout } = drawing;
  drawing.querySelector(".preview")?.remove();
  drawing
    .querySelectorAll(".word")
    .forEach((node) => node.classList.toggle("target", Number(node.getAttribute("data-word")) === head));
  const to = layout.x[word - 1];
  const from = head === null ? x : head === 0 ? to : layout.x[head - 1];
  const ground = layout.line;
  const top = Math.max(4, Math.min(y, ground - 30 - Math.abs(to - from) / 3));
  const d = head === 0 ? `M${to} 4V${ground}` : `M${from} ${ground}C${from} ${top} ${to} ${top} ${to} ${ground}`;
  drawing.append(svg("path", { class: "preview", d }));
}

/** Scroll the frame when the pointer comes near its edge. */
function scrolled(frame, x) {
  const box = frame.getBoundingClientRect();
  if (x < box.left + 36) frame.scrollBy(-14, 0);
  if (x > box.right - 36) frame.scrollBy(14, 0);
}
