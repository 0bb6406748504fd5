// What goes out of the page: text to the clipboard, and files.

import { button, el, say } from "./dom.js";

export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    say(`${what} copied`, true);
  } catch {
    say("The browser does not allow copying; mark the text and copy it yourself", true);
  }
}

export function save(text, name) {
  const link = el("a", { href: URL.createObjectURL(new Blob([text], { type: "text/plain" })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** The columns of a tree as a table; the numbers are those of CoNLL-U. */
export function table(tree) {
  const has = tree.confidence.length > 0;
  const names = ["ID", "FORM", "LEMMA", "UPOS", "FEATS", "HEAD", "DEPREL", ...(has ? ["confidence"] : [])];
  const rows = tree.words.map((word, k) => {
    const head = tree.heads[k];
    const shown = head === 0 ? "0 ROOT" : `${head} ${tree.words[head - 1]}`;
    const feats = tree.feats[k] === "_" ? "" : tree.feats[k].replaceAll("|", " ");
    const cells = [word, tree.lemmas[k], tree.upos[k], feats, shown, tree.labels[k]];
    return el(
      "tr",
      {},
      el("th", { scope: "row" }, String(k + 1)),
      cells.map((text, i) => el("td", { dir: i === 0 ? "auto" : null }, text)),
      has && el("td", { class: "number" }, tree.confidence[k].toFixed(2)),
    );
  });
  const head = el(
    "tr",
    {},
    names.map((name) => el("th", { scope: "col" }, name)),
  );
  const body = el("table", {}, el("thead", {}, head), el("tbody", {}, rows));
  return el("div", { class: "frame", tabindex: 0, role: "group", "aria-label": "Table of the words" }, body);
}

export function conllu(text) {
  const shown = el("pre", { class: "frame", tabindex: 0, role: "group", "aria-label": "CoNLL-U" }, text.trimEnd());
  return el(
    "div",
    {},
    shown,
    button("Copy", () => copy(text, "CoNLL-U"), { class: "quiet" }),
  );
}
