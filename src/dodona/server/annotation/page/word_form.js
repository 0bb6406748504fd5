// All columns of one word in a form, each with its mark or its confidence, and what can be done with the token.

import { ask } from "./api.js";
import { Completion } from "./completion.js";
import { button, el, field, select } from "./dom.js";
import { noteOf } from "./view.js";

const FIELDS = [
  ["label", "Relation", "arc", 10],
  ["upos", "UPOS", "upos", 7],
  ["xpos", "XPOS", "upos", 7],
  ["feats", "Features", "feats", 22],
  ["lemma", "Lemma", "lemma", 12],
  ["form", "Form", "token", 12],
  ["misc", "MISC", null, 14],
];
const COMPLETED = ["label", "upos", "xpos", "feats", "lemma"];
const CLOSED = ["label", "upos", "xpos"]; // other columns have new values all the time

export class WordForm {
  /** `act(action)` changes the sentence, `run(name)` does what a key of that name does, `leave()` goes to the tree. */
  constructor(view, number, { act, run, leave }) {
    this.number = number;
    const word = view.words[number - 1];
    const labels = view.words.map(({ form }, k) => [k + 1, `${k + 1} ${form}`]);
    const heads = [[0, "ROOT"], ...labels].filter(([k]) => k !== number);
    if (word.head === null) heads.unshift(["", "none"]);
    const setHead = (head) => {
      act({ kind: "arc", word: number, head: Number(head), label: null });
      leave();
    };
    this.controls = { head: select(heads, word.head ?? "", setHead) };
    this.fields = Object.fromEntries(
      FIELDS.map(([column, , , size]) => {
        const load = async () => (await ask("choices", { sentence: view.sentence, word: number, column })).choices;
        const change =
          column === "label"
            ? (value) => act({ kind: "arc", word: number, head: word.head ?? 0, label: value })
            : (value) => act({ kind: "set", word: number, column, value });
        const completion = new Completion({
          value: word[column],
          load: COMPLETED.includes(column) ? load : async () => [],
          commit: change,
          leave,
          isClosed: CLOSED.includes(column),
          attributes: { size, dir: "auto" },
        });
        this.controls[column] = completion.input;
        return [column, completion];
      }),
    );
    const noted = (title, column) => (column && noteOf(word, column) ? `${title} ${noteOf(word, column)}` : title);
    const isMarked = Object.values(word.marks).every(Boolean);
    const multi = view.multiword.find(([first, last]) => first <= number && number <= last);
    const isLast = number === view.words.length;
    const tools = [
      ["confirm", isMarked ? "Release this word" : "Confirm this word", "C", false],
      ["splitToken", "Split", "S", word.form.length < 2],
      ["mergeTokens", "Merge with next", "J", isLast],
      ["multiword", multi ? "No multiword token" : "Multiword token", "B", isLast && !multi],
      ["splitSentence", "New sentence here", "Shift+S", number === 1],
    ];
    const shown = FIELDS.map(([column, title, mark]) =>
      field(noted(title, mark), this.fields[column].element, { class: column === "feats" ? "field wide" : "field" }),
    );
    this.element = el(
      "div",
      { class: "word-form" },
      el(
        "div",
        { class: "row" },
        el("strong", { class: "word-name" }, `${number} `, el("bdi", {}, word.form)),
        field(noted("Head", "arc"), this.controls.head),
        shown,
      ),
      el(
        "div",
        { class: "row tools" },
        tools.map(([name, text, key, disabled]) => {
          const control = button(text, () => run(name), { title: key, disabled });
          this.controls[name] = control;
          return control;
        }),
      ),
    );
  }

  /** The name of the control that has the focus, and what was typed in it and is not sent yet. */
  get focused() {
    const [name] = Object.entries(this.controls).find(([, control]) => control === document.activeElement) ?? [null];
    return { name, typed: name in this.fields && this.fields[name].isTyped ? this.fields[name].input.value : null };
  }

  /** Send what was typed, before another word is shown. */
  finish() {
    for (const completion of Object.values(this.fields))
      if (completion.input === document.activeElement) completion.input.blur();
  }

  /** Send nothing any more: what was typed goes on in another form. */
  discard() {
    for (const completion of Object.values(this.fields)) completion.isOver = true;
  }

  /** Give the focus to the same control as in an earlier form. */
  refocus({ name, typed }) {
    this.controls[name]?.focus();
    if (typed !== null) this.controls[name].value = typed;
  }
}
