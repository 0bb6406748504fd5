// What goes out of the page: text to the clipboard, files, pictures, and the command that gives the same.

import { ask } from "./api.js";
import { button, el, message, say } from "./dom.js";

const SCALE = 2; // pixels of a PNG for one of its picture

export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    say(`${what} copied`, true);
  } catch {
    say("The browser does not allow copying; mark the text and copy it yourself", true);
  }
}

export function save(content, name) {
  const link = el("a", { href: URL.createObjectURL(new Blob([content], { type: "text/plain" })), download: name });
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

/** A part that can be unfolded: text to be copied, as it is. */
export function exact(title, text) {
  const shown = el("pre", { class: "frame", tabindex: 0, role: "group", "aria-label": title }, text.trimEnd());
  const copies = button("Copy", () => copy(text, title), { class: "quiet" });
  return el("details", {}, el("summary", {}, title), el("div", {}, shown, copies));
}

/** Buttons that save a tree: as pictures that the server draws, and as CoNLL-U. */
export function saveButtons(tree) {
  const drawn = async (format) => (await ask("draw", { conllu: tree.conllu, format })).picture;
  const kinds = {
    SVG: async () => save(await drawn("svg"), "tree.svg"),
    PNG: async () => save(await asPng(await drawn("svg")), "tree.png"),
    TikZ: async () => save(await drawn("tikz"), "tree.tex"),
    "CoNLL-U": async () => save(tree.conllu, "tree.conllu"),
  };
  const group = el("div", { class: "group", role: "group", "aria-label": "Save this tree as" });
  const act = (action) => () => {
    group.querySelector(".message")?.remove();
    action().catch((error) => group.append(message(error.message, "fault")));
  };
  group.append(
    el("span", { class: "hint", "aria-hidden": "true" }, "Save as"),
    ...Object.entries(kinds).map(([name, action]) => button(name, act(action), { "aria-label": `Save as ${name}` })),
  );
  return group;
}

/** A picture as PNG, in light colours whatever the reader prefers, as for print. */
async function asPng(picture) {
  const light = picture.replaceAll("(prefers-color-scheme: dark)", "not all");
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([light], { type: "image/svg+xml" }));
  try {
    await image.decode();
    const canvas = el("canvas", { width: SCALE * image.width, height: SCALE * image.height });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((done) => canvas.toBlob(done));
  } finally {
    URL.revokeObjectURL(image.src);
  }
}

const quoted = (text) => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** The command, for a POSIX shell, that parses a text or CoNLL-U with a model as the page does. */
export function parseCommand(model, input, options = "") {
  const command = `dodona parse ${quoted(model)}`;
  if (/^[^-\n\t][^\n\t]* [^\n\t]*$/.test(input)) return `${command} ${quoted(input)}${options}\n`;
  return `${command} -${options}${here(input)}`;
}

/** The command that draws a tree. */
export function drawCommand(input) {
  return `dodona draw - -o tree.svg${here(input)}`;
}

/** Lines that a shell gives to a command as its input. */
function here(input) {
  let end = "END";
  while (input.split("\n").includes(end)) end += "_";
  return ` <<'${end}'\n${input.endsWith("\n") ? input : `${input}\n`}${end}\n`;
}
