// One sentence at a time: its tree and its words, and everything that is done with them.

import { ask } from "./api.js";
import { askMultiword, askSplit, showKeys } from "./dialogs.js";
import { button, el, field, isPressed, isTyping, message, say, select } from "./dom.js";
import { draggable } from "./drag.js";
import { findKey, KEYS } from "./keys.js";
import { Learning } from "./learning.js";
import { QueueList } from "./queue.js";
import { keepChanges, keepSetting, leftChanges, readSetting, Session } from "./session.js";
import { Status } from "./status.js";
import { percent, scrollFrame, scrollToWord } from "./tree.js";
import { Versions } from "./versions.js";
import { arcText, COLUMNS, countOpen, describeView, drawView, mostDoubtful, treeOf } from "./view.js";
import { WordForm } from "./word_form.js";

const THRESHOLDS = [0.5, 0.7, 0.8, 0.9, 0.95, 0.99];
const REST = 1000; // milliseconds without a change before the guidelines are checked
const SAVED = { saved: "✓ Saved", saving: "… Saving", waiting: "⚠ Not saved: the server does not answer" };

export class Annotator {
  /** `project` is what the server says about the treebank. */
  constructor(place, project) {
    this.project = project;
    const kept = readSetting("threshold");
    this.threshold = THRESHOLDS.includes(kept) ? kept : project.threshold;
    this.word = 1;
    this.candidate = null; // the head that is being chosen by keyboard
    this.item = null; // of the queue, by which the sentence was opened
    this.awaited = null; // the item that is being opened
    this.messages = document.getElementById("messages");
    this.body = el("article", { class: "card sentence", "aria-label": "Sentence" });
    this.session = new Session({
      show: (view) => this.show(view),
      tell: (state, count) => this.tell(state, count),
      refuse: (error) => this.refuse(error),
      conflict: (error, action) => this.conflict(error, action),
    });
    this.problems = el("div");
    const [, order] = readPlace();
    this.queue = new QueueList(project.orders, order, {
      go: (item) => this.open(item),
      started: () => this.begin(),
    });
    this.versions = new Versions({ show: () => this.draw(), take: (name) => this.act({ kind: "take", name }) });
    this.learning = new Learning(project.learning, (isBetter) => (isBetter ? this.refresh() : this.count()));
    this.status = new Status();
    place.append(
      el(
        "div",
        { class: "columns" },
        el("div", { class: "aside" }, this.queue.element, this.learning.element),
        el("div", {}, this.body, this.versions.element, this.status.element),
      ),
    );
    document.addEventListener("keydown", (event) => this.key(event));
    document.getElementById("write").addEventListener("click", () => this.write());
    document.getElementById("keys").addEventListener("click", () => this.help());
    addEventListener("hashchange", () => this.follow());
    this.drawProgress();
  }

  get view() {
    return this.session.view;
  }

  /** Begin where the address says, or with the first sentence of the queue. */
  async start() {
    const left = leftChanges();
    const [sentence] = left.length > 0 ? [left[0].sentence] : readPlace();
    if (sentence === null) await this.queue.start();
    else await Promise.all([this.openNumber(sentence), this.queue.seek(sentence)]);
    if (this.view === null && this.queue.items.length > 0) await this.begin();
    if (this.view) this.queue.mark(this.view, this.item);
    if (left.length > 0 && this.view) this.offerLeft(left);
  }

  /** Changes that were not saved when the page was left are done again, if the annotator wants them. */
  offerLeft(left) {
    const text = left.length === 1 ? "One change was" : `${left.length} changes were`;
    const told = left.map(({ action }) => describeAction(action)).join("; ");
    const end = () => {
      this.messages.replaceChildren();
      keepChanges([]);
    };
    const again = () => {
      end();
      for (const { action } of left) this.act(action);
    };
    const actions = el("span", { class: "group" }, button("Do it now", again), button("Forget it", end));
    this.messages.append(message(`${text} not saved when this page was left: ${told}.`, "note", [actions]));
  }

  /** Open what comes first in the queue: what is not done yet, unless it is there to be looked at again. */
  async begin() {
    const first = await this.queue.step(1, !this.queue.isReview);
    await this.open(first ?? this.queue.items[0]);
    this.focusTree();
  }

  async openNumber(sentence) {
    try {
      this.candidate = null;
      await this.session.open(sentence);
    } catch (error) {
      this.messages.replaceChildren(message(error.message, "fault"));
    }
  }

  /** Open the sentence of an item of the queue, at its word, if it has one. */
  async open(item) {
    this.awaited = item;
    this.messages.replaceChildren();
    await this.openNumber(item.sentence);
    if (this.view) say(`${this.view.text}. ${this.summary()}`);
  }

  follow() {
    const [sentence] = readPlace();
    if (sentence !== null && sentence !== this.view?.sentence) this.open({ sentence, word: null });
  }

  /** After a better model has come: what is a guess is another one now. */
  async refresh() {
    await this.session.refresh();
    await this.queue.renew();
    await this.count();
  }

  async act(action) {
    const before = this.view;
    const view = await this.session.act(action);
    if (view === null) return null;
    if (view.sentence === before.sentence && view.version !== before.version) this.messages.replaceChildren();
    if (action.kind.endsWith("_sentence") || ["undo", "redo"].includes(action.kind)) this.queue.renew();
    if (view.status !== before.status) this.count();
    say(`${this.word <= view.words.length ? arcText(view, this.word) : ""}; ${this.summary()}`);
    return view;
  }

  async count() {
    try {
      this.project = { ...this.project, ...(await ask("project")) };
      this.drawProgress();
      this.learning.draw(this.project.learning); // a training may have begun after so many sentences
      this.status.update();
    } catch {
      // it is counted again with the next one
    }
  }

  // What keys and buttons do

  step(way) {
    const turn = this.drawing.layout.rightToLeft ? -way : way;
    const n = this.view.words.length;
    if (this.candidate === null) this.word = clamp(this.word + turn, 1, n);
    else {
      const next = this.candidate + turn === this.word ? this.candidate + 2 * turn : this.candidate + turn;
      if (next >= 0 && next <= n) this.candidate = next;
    }
    this.mark();
    this.sayChoice();
  }

  jump(number) {
    const n = this.view.words.length;
    if (this.candidate === null) this.word = clamp(number, 1, n);
    else this.candidate = number === 1 ? 0 : this.word === n ? n - 1 : n;
    this.mark();
    this.sayChoice();
  }

  chooseHead() {
    const { head } = this.view.words[this.word - 1];
    if (this.candidate !== null) {
      this.setHead(this.word, this.candidate);
      return;
    }
    this.candidate = head ?? 0;
    this.mark();
    this.sayChoice();
  }

  setHead(word, head) {
    this.candidate = null;
    this.word = word;
    this.act({ kind: "arc", word, head, label: null });
  }

  cancel() {
    this.candidate = null;
    this.mark();
  }

  sayChoice() {
    const named = (k) => (k === 0 ? "ROOT" : this.view.words[k - 1].form);
    const problems = this.view.problems.filter(({ word }) => word === this.word).map(({ message: text }) => text);
    const { upos, lemma } = this.view.words[this.word - 1];
    if (this.candidate !== null) say(`Head of ${named(this.word)}: ${named(this.candidate)}?`);
    else say([arcText(this.view, this.word), upos, `lemma ${lemma}`, ...problems].join("; "));
  }

  goToDoubt() {
    const word = mostDoubtful(this.view);
    if (word === null) {
      say("Everything is marked", true);
      return;
    }
    this.candidate = null;
    this.word = word;
    this.mark();
    this.sayChoice();
  }

  edit(column) {
    this.form.controls[column].focus();
    this.form.controls[column].select();
  }

  confirmArc() {
    const { marks } = this.view.words[this.word - 1];
    this.act({ kind: marks.arc ? "release" : "confirm", words: [this.word], columns: ["arc"] });
  }

  confirm() {
    const { marks } = this.view.words[this.word - 1];
    const open = COLUMNS.filter((column) => !marks[column]);
    const isMarked = open.length === 0;
    this.act({ kind: isMarked ? "release" : "confirm", words: [this.word], columns: isMarked ? COLUMNS : open });
  }

  accept() {
    this.act({ kind: "accept", threshold: this.threshold });
  }

  async finish() {
    const view = this.view.status === "done" ? this.view : await this.act({ kind: "done" });
    if (view === null) return;
    const next = await this.queue.step(1, !this.queue.isReview);
    if (next) this.open(next);
    else say("This was the last open sentence of the queue", true);
  }

  reopen() {
    this.act({ kind: "reopen" });
  }

  async go(by) {
    const next = await this.queue.step(by);
    if (next) this.open(next);
    else say(by > 0 ? "This is the end of the queue" : "This is the beginning of the queue", true);
  }

  undo() {
    if (this.view.undo) this.act({ kind: "undo" });
    else say("There is nothing to undo", true);
  }

  redo() {
    if (this.view.redo) this.act({ kind: "redo" });
    else say("There is nothing to redo", true);
  }

  splitToken() {
    const { form } = this.view.words[this.word - 1];
    const word = this.word;
    if (Array.from(form).length > 1) askSplit(form, (at) => this.act({ kind: "split_token", word, at }));
  }

  mergeTokens() {
    if (this.word < this.view.words.length) this.act({ kind: "merge_tokens", first: this.word, last: this.word + 1 });
  }

  multiword() {
    const token = this.view.multiword.find(([first, last]) => first <= this.word && this.word <= last);
    const first = this.word;
    if (token) this.act({ kind: "remove_multiword", first: token[0] });
    else if (first < this.view.words.length)
      askMultiword(this.view, first, (last, form) => this.act({ kind: "multiword", first, last, form }));
  }

  splitSentence() {
    if (this.word > 1) this.act({ kind: "split_sentence", word: this.word });
  }

  joinSentence() {
    this.act({ kind: "join_sentence" });
  }

  toggleVersions() {
    if (!this.versions.toggle()) this.focusTree();
  }

  acceptSuspicion() {
    const { word, arc } = this.suspicion ?? {};
    if (arc) this.act({ kind: "arc", word, head: arc[0], label: arc[1] });
  }

  rejectSuspicion() {
    const { word, arc } = this.suspicion ?? {};
    if (arc) this.act({ kind: "confirm", words: [word], columns: ["arc"] });
  }

  async write() {
    try {
      const { files } = await ask("save");
      const changed = files.filter(({ state }) => state === "changed on disk").map(({ file }) => file);
      const written = files.filter(({ state }) => state === "written").length;
      const text =
        `${changed.join(", ")} changed on disk, and was not written. All work is in the journal; ` +
        "when dodona annotate is started again, it is carried over to the file as it is then.";
      if (changed.length > 0) this.messages.replaceChildren(message(text, "fault"));
      else say(written === 0 ? "All files are up to date" : `${written} of ${files.length} files written`, true);
    } catch (error) {
      this.messages.replaceChildren(message(error.message, "fault"));
    }
  }

  help() {
    showKeys(KEYS.filter(({ shown }) => shown));
  }

  key(event) {
    if (document.querySelector("dialog[open]") || event.altKey || event.isComposing) return;
    const entry = findKey(event);
    if (isTyping(event) && !(entry?.ctrl && ["finish", "write"].includes(entry.name))) return;
    const frame = event.target.closest?.(".frame");
    if (event.shiftKey && frame) scrollFrame(frame, event);
    const isVersion = event.target.type === "radio"; // Enter does nothing there by itself
    if (!entry || (entry.key === "Enter" && !entry.ctrl && isPressed(event) && !isVersion)) return;
    if (this.view === null && !["help", "write"].includes(entry.name)) return;
    event.preventDefault();
    if (entry.ctrl && isTyping(event)) event.target.blur(); // what was typed comes first
    this[entry.name](...(entry.values ?? []));
  }

  // What is shown

  tell(state, count) {
    const saved = document.getElementById("saved");
    const waits = state === "waiting" ? `, ${count} ${count === 1 ? "change waits" : "changes wait"}` : "";
    saved.textContent = `${SAVED[state]}${waits}`;
    saved.className = state;
  }

  refuse(error) {
    this.messages.replaceChildren(message(`${error.message.replace(/\.$/, "")}. Nothing was changed.`, "fault"));
    this.draw(true);
  }

  /** The sentence is another one than when the change was made: whoever made it decides. */
  conflict(error, action) {
    const again = button("Do it here, too", () => this.act(action));
    const leave = button("Leave it", () => this.messages.replaceChildren());
    const actions = el("span", { class: "group" }, again, leave);
    const told = `${error.message.replace(/\.$/, "")}. Your change (${describeAction(action)}) was not made.`;
    this.messages.replaceChildren(message(told, "fault", [actions]));
  }

  show(view) {
    if (this.awaited?.sentence === view.sentence) {
      this.item = this.awaited;
      this.word = this.item.word ?? 1;
      this.awaited = null;
    }
    this.word = clamp(this.word, 1, view.words.length);
    history.replaceState(null, "", `#${view.sentence}/${this.queue.order}`);
    this.queue.mark(view, this.item);
    this.draw();
    this.versions.update(view);
    clearTimeout(this.checking);
    if (this.project.rules > 2) this.checking = setTimeout(() => this.check(view), REST);
  }

  /** Ask for what breaks UD's guidelines, once nothing has changed for a while: it takes the server a second. */
  async check(view) {
    const { problems } = await ask("check", { sentence: view.sentence }).catch(() => view);
    const isSame = this.view.sentence === view.sentence && this.view.version === view.version;
    if (!isSame || JSON.stringify(problems) === JSON.stringify(view.problems)) return;
    this.view.problems = problems;
    this.drawProblems();
  }

  summary() {
    const { view } = this;
    const open = countOpen(view, this.threshold);
    const problems = view.problems.length;
    const parts = [view.status === "done" ? "done" : `${open} open`];
    if (problems > 0) parts.push(problems === 1 ? "one problem" : `${problems} problems`);
    return parts.join(", ");
  }

  /** The suspicion by which this sentence is in the queue, if it is for that. */
  get suspicion() {
    const { item, queue, view } = this;
    return queue.isReview && item?.sentence === view.sentence && item.why ? item : null;
  }

  drawProgress() {
    const { sentences, done, annotator } = this.project;
    document.getElementById("progress").textContent = `${done} of ${sentences} done · ${annotator}`;
  }

  /** Draw the sentence; `keepsTyped`: and leave in the form what was refused. */
  draw(keepsTyped = false) {
    const { view } = this;
    if (!view) return;
    const hadTree = this.frame !== undefined && this.frame === document.activeElement;
    const focused = this.form?.focused ?? { name: null, typed: null };
    const control = this.body.querySelector(".bar :focus");
    if (!keepsTyped) this.form?.discard();
    this.drawing = drawView(view, this.threshold, this.beside);
    this.keepLine();
    draggable(this.drawing, {
      onpick: (word) => this.pick(word),
      ondrop: (word, head) => this.setHead(word, head),
    });
    const scrolled = this.frame?.scrollLeft ?? 0;
    this.frame = el(
      "div",
      {
        class: "frame edited annotated",
        tabindex: 0,
        role: "application",
        "aria-label": `Tree. ${describeView(view)}`,
        dir: this.drawing.layout.rightToLeft ? "rtl" : null,
      },
      this.drawing,
    );
    const title = el("h2", { dir: "auto" }, view.text);
    const of = el("span", { class: "of" }, `${view.file} · ${view.sent_id || view.sentence}`);
    const badge = el("span", { class: `badge ${view.status}` }, this.summary());
    this.panel = el("div", { class: "panel" });
    const { suspicion } = this;
    this.body.replaceChildren(
      el("div", { class: "title" }, el("div", {}, of, title), badge),
      ...(view.other ? [message(`${view.other} has this sentence open in another page.`)] : []),
      ...(suspicion ? [this.drawSuspicion(suspicion)] : []),
      this.frame,
      this.drawBar(),
      this.panel,
      this.problems, // last: they come a moment later, and must not move a button away from under the pointer
    );
    this.body.classList.toggle("done", view.status === "done");
    this.frame.scrollLeft = scrolled;
    if (keepsTyped && this.form) this.panel.replaceChildren(this.form.element);
    this.drawProblems();
    this.mark(keepsTyped);
    if (hadTree) this.frame.focus({ preventScroll: true });
    if (focused.name) this.form.refocus(focused);
    if (control) {
      const controls = [...this.body.querySelectorAll(".bar :enabled")];
      (controls.find(({ textContent }) => textContent === control.textContent) ?? this.frame).focus();
    }
  }

  /** What is drawn below the words: another version, or else the arc that a suspicion proposes. */
  get beside() {
    const { view, suspicion } = this;
    const version = this.versions.versionOf(view);
    if (version !== null || !suspicion?.arc || suspicion.word > view.words.length) return version;
    const { heads, labels } = treeOf(view);
    [heads[suspicion.word - 1], labels[suspicion.word - 1]] = suspicion.arc;
    return { heads, labels, upos: null };
  }

  /** Let the words stay where they are while the arcs above them get more or fewer levels. */
  keepLine() {
    const { sentence } = this.view;
    const { line } = this.drawing.layout;
    this.line = { sentence, top: this.line?.sentence === sentence ? Math.max(this.line.top, line) : line };
    this.drawing.style.marginBlockStart = `${this.line.top - line}px`;
  }

  drawSuspicion({ why, arc }) {
    const { words } = this.view;
    const head = arc && (arc[0] === 0 ? "ROOT" : words[arc[0] - 1]?.form);
    const actions = arc
      ? [
          button(`Accept: ${arc[1]} of ${head}`, () => this.acceptSuspicion(), { title: "Y" }),
          button("Reject", () => this.rejectSuspicion(), { title: "R" }),
        ]
      : [];
    return message(why, "note", [
      el(
        "span",
        { class: "group" },
        actions,
        button("Next", () => this.go(1), { title: "N" }),
      ),
    ]);
  }

  /** Problems at their words, and below the tree what they are. */
  drawProblems() {
    const { problems, words } = this.view;
    const faulty = new Set(problems.map(({ word }) => String(word)));
    for (const node of this.drawing.querySelectorAll(".word"))
      node.classList.toggle("problem", faulty.has(node.getAttribute("data-word")));
    this.body.querySelector(".badge").textContent = this.summary();
    const items = problems.map(({ word, level, rule, message: text }) =>
      el(
        "li",
        {},
        word !== null && words[word - 1]
          ? button(`${word} ${words[word - 1].form}`, () => this.pick(word), { class: "quiet" })
          : "",
        el("span", {}, `${text} `, el("small", { class: "hint" }, `level ${level}, ${rule}`)),
      ),
    );
    const list = el("ul", { class: "problems", "aria-label": "Problems" }, items);
    this.problems.replaceChildren(...(problems.length > 0 ? [list] : []));
  }

  pick(word) {
    this.candidate = null;
    this.word = word;
    this.mark();
    this.focusTree();
    this.sayChoice();
  }

  /** After something was chosen from a menu, letters are keys of the page again, and not of the menu. */
  focusTree() {
    this.frame?.focus({ preventScroll: true });
  }

  drawBar() {
    const { view } = this;
    const isDone = view.status === "done";
    const thresholds = [...new Set([...THRESHOLDS, this.project.threshold])].sort();
    const setThreshold = (value) => {
      this.threshold = Number(value);
      keepSetting("threshold", this.threshold);
      this.draw();
      this.focusTree();
    };
    return el(
      "div",
      { class: "row bar" },
      button("Done, next", () => this.finish(), { class: "main", title: "Ctrl+Enter" }),
      button("Accept the sure", () => this.accept(), { title: "A" }),
      button("Undo", () => this.undo(), { title: "Ctrl+Z", disabled: !view.undo }),
      button("Redo", () => this.redo(), { title: "Ctrl+Y", disabled: !view.redo }),
      button("Join with next", () => this.joinSentence(), { title: "Shift+J", disabled: view.next === null }),
      isDone && button("Reopen", () => this.reopen()),
      field(
        "Open below",
        select(
          thresholds.map((value) => [value, percent(value)]),
          this.threshold,
          setThreshold,
        ),
      ),
    );
  }

  /** Show which word is chosen, and its columns in the panel below. */
  mark(keepsForm = false) {
    for (const node of this.drawing.querySelectorAll("[data-word]")) {
      const number = Number(node.getAttribute("data-word"));
      node.classList.toggle("chosen", number === this.word);
      node.classList.toggle("target", node.matches(".word") && number === this.candidate);
    }
    this.drawing.classList.toggle("to-root", this.candidate === 0);
    scrollToWord(this.drawing, this.candidate || this.word);
    if (keepsForm) return;
    if (this.form?.number !== this.word) this.form?.finish();
    const focused = this.form?.focused ?? { name: null, typed: null };
    this.form = new WordForm(this.view, this.word, {
      act: (action) => this.act(action),
      run: (name) => this[name](),
      leave: () => this.focusTree(),
    });
    if (this.candidate !== null) this.form.controls.head.value = this.candidate;
    this.panel.replaceChildren(this.form.element);
    if (focused.name) this.form.refocus({ ...focused, typed: null });
  }
}

const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

/** The sentence and the order that the address names, or null. */
function readPlace() {
  const [, sentence, order] = /^#(\d+)(?:\/(\w+))?$/.exec(location.hash) ?? [];
  return [sentence === undefined ? null : Number(sentence), order ?? null];
}

/** A change in words. */
function describeAction({ kind, word, head, label, column, value }) {
  if (kind === "arc") return `word ${word}: head ${head}${label ? `, ${label}` : ""}`;
  if (kind === "set") return `word ${word}: ${column} ${value}`;
  return kind.replaceAll("_", " ");
}
