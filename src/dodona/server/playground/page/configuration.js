// A configuration: stack and buffer, or the lists of the system, as rows of words.

import { el } from "./dom.js";

const NAMES = { left: "left list λ1", right: "right list λ2" };
const LONG = 14; // words of a list that are shown

/** `lists` are pairs of a name and nodes; 0 is ROOT. The top of a stack and the front of a buffer are next to each other. */
export function configuration(lists, words, rightToLeft) {
  const rows = lists.map(([name, nodes]) => {
    const fromEnd = name === "stack" || name === "left";
    const shown = fromEnd ? nodes.slice(-LONG) : nodes.slice(0, name === "list" ? Infinity : LONG);
    const focus = name === "list" ? -1 : fromEnd ? shown.length - 1 : 0;
    const chips = shown.map((node, i) =>
      el(
        "li",
        { class: [node === 0 ? "root" : "", i === focus && name !== "right" ? "focus" : ""].join(" "), dir: "auto" },
        name === "list" ? el("small", {}, `${i + 1} `) : "",
        node === 0 ? "ROOT" : words[node - 1],
      ),
    );
    const more = el("li", { class: "more" }, `… ${nodes.length - shown.length} more`);
    if (shown.length < nodes.length) fromEnd ? chips.unshift(more) : chips.push(more);
    if (nodes.length === 0) chips.push(el("li", { class: "empty" }, "empty"));
    return el(
      "div",
      { class: `list ${name}` },
      el("span", { class: "of", "aria-hidden": "true" }, NAMES[name] ?? name),
      el("ol", { "aria-label": NAMES[name] ?? name }, chips),
    );
  });
  return el("div", { class: `configuration of-${lists.length}`, dir: rightToLeft ? "rtl" : null }, rows);
}
