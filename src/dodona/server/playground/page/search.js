// The view "Search": a pattern and a text in, the matches out, drawn and counted.

import { ask, latest } from "./api.js";
import { button, el, field, message, say, select } from "./dom.js";
import { drawTree, framed } from "./tree.js";

const PATTERN = "pattern { V [upos=VERB]; V -[nsubj]-> S }\nwithout { V -[obj]-> O }";
const TEXT = "The wind moves the leaves of the old oak. Oak trees grow slowly, but they have time.";
const ROW = /^\d+\t/m; // of CoNLL-U

export class SearchView {
  /** `about` is what the server offers. */
  constructor(section, about) {
    this.about = about;
    this.model = about.models[0].name;
    this.search = latest((request) => ask("search", request));
    this.results = el("div", { class: "results" });
    this.pattern = el("textarea", { rows: 3, maxlength: 5000, spellcheck: "false", class: "code" });
    this.pattern.value = PATTERN;
    this.text = el("textarea", { rows: 3, spellcheck: "false", dir: "auto" });
    this.text.value = about.models[0].tokenizes ? TEXT : "";
    this.keys = el("input", { type: "text", value: "V.lemma", spellcheck: "false" });
    section.append(this.form(), this.results);
  }

  form() {
    const search = button("Search", () => this.run(), { class: "main", title: "Ctrl+Enter" });
    const names = this.about.models.map(({ name }) => name);
    for (const input of [this.pattern, this.text, this.keys])
      input.addEventListener("keydown", (event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.run();
      });
    return el(
      "div",
      { class: "card form" },
      field("Pattern, in the language of Grew", this.pattern),
      field("Text, or CoNLL-U with trees", this.text),
      el(
        "div",
        { class: "row" },
        search,
        field(
          "Model",
          select(names, this.model, (name) => (this.model = name)),
        ),
        field("Count by", this.keys),
      ),
    );
  }

  async run() {
    this.results.setAttribute("aria-busy", "true");
    const text = this.text.value;
    const request = { pattern: this.pattern.value, count: this.keys.value.split(/[\s,]+/).filter(Boolean) };
    if (ROW.test(text)) request.conllu = text;
    else Object.assign(request, { text, model: this.model });
    try {
      const answer = await this.search(request);
      if (answer === null) return;
      this.draw(answer);
    } catch (error) {
      const fault = message(error.message, "fault");
      fault.classList.add("exact"); // with the line of the pattern, and a caret below it
      this.results.replaceChildren(fault);
    }
    this.results.removeAttribute("aria-busy");
  }

  draw({ searched, found, sentences, counts }) {
    const told = `${found} ${found === 1 ? "match" : "matches"} in ${searched} ${searched === 1 ? "sentence" : "sentences"}`;
    const listed = sentences.flatMap((sentence) => sentence.matches.map((match) => matchCard(sentence, match)));
    const more = found > listed.length ? `, the first ${listed.length} are below` : "";
    this.results.replaceChildren(message(told + more), ...(counts.length > 0 ? [countTable(counts)] : []), ...listed);
    say(told);
  }
}

function matchCard(sentence, { nodes }) {
  const words = sentence.tokens.map(({ form }) => form);
  const names = new Map(Object.entries(nodes).map(([name, id]) => [id, name]));
  const arcs = sentence.tokens
    .filter(({ head }) => head !== null)
    .map(({ id, head, deprel }) => ({
      head,
      dependent: id,
      label: deprel ?? "",
      classes: names.has(String(id)) && names.has(String(head)) ? "given" : "",
    }));
  const tags = sentence.tokens.map(({ id, upos }) => [names.get(String(id)), upos].filter(Boolean).join(" · "));
  const marks = Object.fromEntries([...names.keys()].map((id) => [id, "matched"]));
  const title = `Match: ${[...names].map(([id, name]) => `${name} is ${id === "0" ? "ROOT" : (words[id - 1] ?? id)}`).join(", ")}`;
  const multiword = sentence.multiword.map(({ id: [first, last], form }) => [first, last, form]);
  const drawing = drawTree({ words, tags, multiword, arcs, title, marks });
  const text = sentence.text ?? words.join(" ");
  return el("article", { class: "card" }, el("h2", { dir: "auto" }, text), framed(drawing, title));
}

function countTable(counts) {
  const columns = Object.keys(counts[0]);
  const head = el("tr", {}, ...columns.map((name) => el("th", { scope: "col" }, name)));
  const cell = (value) =>
    typeof value === "number"
      ? el("td", { class: "number" }, Number.isInteger(value) ? String(value) : value.toFixed(1))
      : el("td", { dir: "auto" }, value);
  const rows = counts.map((row) => el("tr", {}, ...columns.map((name) => cell(row[name]))));
  const table = el("table", {}, el("thead", {}, head), el("tbody", {}, ...rows));
  return el("div", { class: "frame", tabindex: 0, role: "group", "aria-label": "Counts" }, table);
}
