// The view "Parse": a text in, trees out.

import { ask, latest } from "./api.js";
import { button, check, el, field, message, say, select } from "./dom.js";
import { copy, exact, parseCommand, save, saveButtons, table } from "./output.js";
import { drawTree, framed, percent, shade } from "./tree.js";

const FIRST = "The wind moves the leaves of the old oak. Oak trees grow slowly, but they have time.";

const ROW = /^\d+\t/m; // of CoNLL-U
const BEAM = 8; // of the server, where several trees are wanted

export class ParseView {
  /** `about` is what the server offers; `show` takes sentences to another view. */
  constructor(section, about, show) {
    this.about = about;
    this.show = show;
    this.model = about.models[0].name;
    this.nbest = 1;
    this.shaded = true;
    this.answer = null;
    this.parse = latest((request) => ask("parse", request));
    this.results = el("div", { class: "results" });
    this.text = el("textarea", { rows: 3, maxlength: 20000, spellcheck: "false", dir: "auto" });
    this.text.value = about.models[0].tokenizes ? FIRST : "";
    section.append(this.form(), this.results);
  }

  form() {
    const parse = button("Parse", () => this.run(), { class: "main", title: "Ctrl+Enter" });
    this.text.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.run();
    });
    this.model_select = select(
      this.about.models.map((model) => model.name),
      this.model,
      (name) => {
        this.model = name;
        this.fitModel();
      },
    );
    this.nbest_select = select([1, 2, 3, 5, 10], 1, (number) => (this.nbest = Number(number)));
    const shades = el("input", { type: "checkbox", checked: true, onchange: (event) => this.setShaded(event) });
    this.hint = el("p", { class: "hint" });
    this.fitModel();
    return el(
      "div",
      { class: "card form" },
      field("Text, or CoNLL-U", this.text),
      el(
        "div",
        { class: "row" },
        parse,
        field("Model", this.model_select),
        field("Trees for each sentence", this.nbest_select),
        check("Confidence", shades),
      ),
      this.hint,
    );
  }

  fitModel() {
    const model = this.about.models.find(({ name }) => name === this.model);
    this.nbest_select.disabled = !model.nbest;
    if (!model.nbest) this.nbest_select.value = this.nbest = 1;
    const notes = [];
    if (!model.tokenizes) notes.push("This model has no tokenizer: give it CoNLL-U.");
    if (model.nbest && !model.beam)
      notes.push("This model was trained without a beam: expect worse trees with several.");
    this.hint.textContent = notes.join(" ");
    this.hint.hidden = notes.length === 0;
  }

  setShaded(event) {
    this.shaded = event.target.checked;
    if (this.answer) this.draw();
  }

  /** What other views take along: for each sentence the tree that is shown, and the arcs that were given. */
  get taken() {
    if (this.answer === null) return null;
    const sentences = this.answer.sentences.map(({ trees, given, kept }, k) => ({
      tree: trees[this.chosen[k]],
      given,
      kept,
    }));
    return { sentences, model: this.answer.model };
  }

  /** The command that parses a text as it was parsed here. */
  command(text) {
    const { model, nbest, isConllu } = this.asked;
    const several = nbest > 1 ? ` --beam ${Math.max(BEAM, nbest)} --nbest ${nbest}` : "";
    return parseCommand(model, text, isConllu ? ` --constrained${several}` : several);
  }

  async run() {
    this.results.setAttribute("aria-busy", "true");
    try {
      const [text, nbest] = [this.text.value, this.nbest];
      const answer = await this.parse({ text, model: this.model, nbest });
      if (answer === null) return;
      this.asked = { text, nbest, model: answer.model, isConllu: ROW.test(text) };
      this.answer = answer;
      this.chosen = answer.sentences.map(() => 0);
      this.draw();
      const count = answer.sentences.length;
      say(count === 1 ? "One sentence parsed" : `${count} sentences parsed`);
    } catch (error) {
      this.results.replaceChildren(message(error.message, "fault"));
    }
    this.results.removeAttribute("aria-busy");
  }

  draw() {
    const { sentences } = this.answer;
    const all = () => sentences.map((sentence, i) => sentence.trees[this.chosen[i]].conllu).join("");
    const actions = el(
      "div",
      { class: "row" },
      button("Copy all as CoNLL-U", () => copy(all(), "CoNLL-U")),
      button("Save all as CoNLL-U", () => save(all(), "parsed.conllu")),
      exact("Command", this.command(this.asked.text)),
    );
    this.results.replaceChildren(actions, ...sentences.map((sentence, i) => this.card(sentence, i)));
  }

  card(sentence, i) {
    const tree = sentence.trees[this.chosen[i]];
    const card = el("article", { class: "card" });
    const sure = tree.mean === null ? null : el("span", { class: "badge" }, `${percent(tree.mean)} sure`);
    const title = el("h2", { dir: "auto" }, tree.text);
    const switches = sentence.trees.length > 1 && this.switches(sentence, i, card);
    const drawing = treeDrawing(tree, this.shaded);
    const actions = el(
      "div",
      { class: "row" },
      button("Correct", () => this.show("correct", { ...this.taken, at: i })),
      button("Oracle", () => this.show("oracle", tree)),
      el("details", {}, el("summary", {}, "Table"), table(tree)),
      exact("CoNLL-U", tree.conllu),
      saveButtons(tree),
    );
    card.append(el("div", { class: "title" }, title, sure), switches || "", framed(drawing, `Tree ${i + 1}`), actions);
    return card;
  }

  switches(sentence, i, card) {
    const name = `nbest-${i}`;
    const choices = sentence.trees.map((tree, rank) => {
      const radio = el("input", { type: "radio", name, checked: rank === this.chosen[i] });
      radio.addEventListener("change", () => {
        this.chosen[i] = rank;
        const fresh = this.card(sentence, i);
        card.replaceWith(fresh);
        fresh.querySelectorAll(`input[name="${name}"]`)[rank].focus();
      });
      return el(
        "label",
        {},
        radio,
        el("span", {}, `${rank + 1}`, el("small", {}, ` ${tree.score.toFixed(2)}`.replace("-", "−"))),
      );
    });
    return el("fieldset", { class: "choice" }, el("legend", {}, "Tree, with its score"), choices);
  }
}

/** The drawing of a parsed tree; `shaded`: with confidence as shade and number. */
export function treeDrawing(tree, shaded) {
  const has = shaded && tree.confidence.length > 0;
  const arcs = tree.heads.map((head, k) => ({
    head,
    dependent: k + 1,
    label: tree.labels[k],
    note: has ? percent(tree.confidence[k]) : "",
    classes: has ? shade(tree.confidence[k]) : "",
  }));
  const { words, upos, multiword } = tree;
  return drawTree({ words, tags: upos, multiword, arcs, title: described(tree) });
}

/** A tree in words, for those who do not see it. */
export function described(tree) {
  const arcs = tree.heads.map((head, k) => {
    const from = head === 0 ? "ROOT" : tree.words[head - 1];
    return `${from} → ${tree.words[k]}${tree.labels[k] ? ` (${tree.labels[k]})` : ""}`;
  });
  return `Tree: ${arcs.join(", ")}`;
}
