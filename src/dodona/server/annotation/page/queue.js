// The queue: sentences in the order in which they are worked on.

import { ask, latest } from "./api.js";
import { button, el, field, message, select } from "./dom.js";
import { keepSetting, readSetting } from "./session.js";

const ORDERS = {
  file: "as in the file",
  doubt: "least sure first",
  information: "most informative first",
  suspects: "suspects first",
  search: "search",
};
const COUNT = 50; // sentences at a time
const MOST = 300; // that are in the list
const AGAIN = 1500; // milliseconds, while suspects are looked for
const PATTERN = "pattern { V [upos=VERB]; V -[nsubj]-> S }";

export class QueueList {
  /** `go(item)` opens the sentence of an item; `started()` is called when a queue is there. */
  constructor(orders, order, { go, started }) {
    this.order = orders.includes(order) ? order : orders[0];
    this.go = go;
    this.started = started;
    this.items = []; // a part of the queue
    this.first = 0; // the place in the queue where the part begins
    this.next = null; // and of the first item after it, if there is one
    this.total = 0;
    this.at = -1; // the place of the present sentence in the part
    this.sought = null; // a sentence that was looked for in vain
    this.load = latest((request) => ask("queue", request));
    this.list = el("ol", { class: "queue", "aria-label": "Sentences" });
    this.notes = el("div", { "aria-live": "polite" });
    this.earlier = button("Earlier", () => this.extend(-1), { class: "quiet" });
    this.more = button("More", () => this.extend(), { class: "quiet" });
    this.pattern = el("textarea", { rows: 3, spellcheck: "false", class: "code", maxlength: 5000 });
    this.pattern.value = readSetting("pattern") ?? PATTERN;
    const search = button("Search", () => this.start());
    this.search = el("div", { class: "form" }, field("Pattern, in the language of Grew", this.pattern), search);
    this.pattern.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.stopPropagation(); // elsewhere this key says that the sentence is done
      this.start();
    });
    const choices = orders.map((name) => [name, ORDERS[name] ?? name]);
    this.element = el(
      "details",
      { class: "card queue-card", open: !matchMedia("(width < 960px)").matches },
      el("summary", {}, "Queue"),
      el(
        "div",
        { class: "row" },
        field(
          "Order",
          select(choices, this.order, (name) => this.setOrder(name)),
        ),
        button("Renew", () => this.start(), { class: "quiet", title: "Put the queue together anew" }),
      ),
      this.search,
      this.notes,
      this.earlier,
      this.list,
      this.more,
    );
    this.search.hidden = this.order !== "search";
  }

  setOrder(order) {
    this.order = order;
    this.search.hidden = order !== "search";
    if (order === "search") this.pattern.focus();
    else this.start();
  }

  get request() {
    const { order } = this;
    return order === "search" ? { order, pattern: this.pattern.value } : { order };
  }

  /** Put the queue together anew, and begin it. */
  async start() {
    if (this.order === "search") keepSetting("pattern", this.pattern.value);
    this.items = [];
    this.at = -1;
    this.sought = null;
    await this.fetch({ first: 0, count: COUNT }, 0, () => this.start());
    if (this.items.length > 0) await this.started();
  }

  /** Show the part of the queue that a sentence is in; if it is in none, what is there stays, or it is the beginning. */
  async seek(sentence) {
    this.sought = sentence;
    const isThere = ({ items }) => this.items.length === 0 || items.some((item) => item.sentence === sentence);
    await this.fetch({ first: 0, count: COUNT, sentence }, 0, () => this.seek(sentence), isThere);
    this.at = this.items.findIndex((item) => item.sentence === sentence);
    this.draw();
  }

  /** Load the next part of the queue, or the one before. */
  async extend(way = 1) {
    if (way > 0) await this.fetch({ first: this.next ?? this.first, count: COUNT }, way);
    else await this.fetch({ first: Math.max(0, this.first - COUNT), count: COUNT }, way);
  }

  /**
   * Load a part of the queue, which takes the place of what is there, or is added to it at one end; `again()` is called
   * after a while if the queue is not there yet.
   */
  async fetch(request, way, again = () => this.extend(way), isWanted = () => true) {
    clearTimeout(this.timer);
    try {
      const answer = await this.load({ ...this.request, ...request });
      if (answer === null) return;
      if (isWanted(answer)) this.add(answer, way);
      this.notes.replaceChildren(...this.note(answer));
      if (answer.wait) this.timer = setTimeout(again, AGAIN);
    } catch (error) {
      const fault = message(error.message, "fault");
      if (this.order === "search") fault.classList.add("exact"); // with the line of the pattern, and a caret below it
      this.notes.replaceChildren(fault);
    }
    this.draw();
  }

  /** Add items at one end; from the other one they go where there are too many. */
  add({ items, first, next, total }, way) {
    this.total = total;
    if (way === 0) this.items = [];
    if (way <= 0) this.first = first;
    if (way < 0) {
      const before = items.filter(({ place }) => place < (this.items[0]?.place ?? Infinity));
      this.at += this.at >= 0 ? before.length : 0;
      this.items.unshift(...before);
      this.next = this.items[MOST]?.place ?? this.next;
      this.items.splice(MOST);
      return;
    }
    this.next = next;
    this.items.push(...items);
    const over = this.items.length - MOST;
    if (over <= 0) return;
    this.items.splice(0, over);
    this.first = this.items[0].place;
    this.at = Math.max(-1, this.at - over);
  }

  /** Load the same part again, where sentences were split or joined, or a new model has another order. */
  async renew() {
    clearTimeout(this.timer);
    const count = Math.max(COUNT, this.items.length);
    const answer = await this.load({ ...this.request, first: this.first, count }).catch(() => null);
    if (answer?.wait) this.timer = setTimeout(() => this.renew(), AGAIN);
    if (answer === null || answer.wait) return;
    const here = this.items[this.at]?.sentence;
    [this.items, this.next, this.total] = [answer.items, answer.next, answer.total];
    const found = this.items.findIndex(({ sentence }) => sentence === here);
    this.at = found >= 0 ? found : Math.min(this.at, this.items.length) - 1; // the next one is where this one was
    this.draw();
  }

  /** Whether the queue is of things to be looked at, whatever the status of their sentences. */
  get isReview() {
    return this.order === "suspects" || this.order === "search";
  }

  note({ wait, total }) {
    if (wait) return [message(wait)];
    const isEmpty = "This project has no sentences. Put CoNLL-U into its folder, or start with --text.";
    return total === 0 ? [message(this.order === "file" ? isEmpty : "There is no sentence here.")] : [];
  }

  /** The item so many places further, or null; `isOpen`: one that is not done yet. */
  async step(by, isOpen = false) {
    for (let at = this.at + by; ; at += by) {
      const item = this.items[at];
      if (item && (!isOpen || item.status === "open")) return item;
      if (item) continue;
      if (at < 0 ? this.first === 0 : this.next === null) return null;
      if (isOpen) return await this.leap(this.next);
      const before = this.items[this.at];
      await this.extend(by);
      at = this.items.indexOf(before);
      if (at < 0 || this.items[at + by] === undefined) return null;
    }
  }

  /** Go to the part of the queue with the next open item from a place on, and return that; null if there is none. */
  async leap(first) {
    const answer = await this.load({ ...this.request, first, count: COUNT, is_open: true }).catch(() => null);
    if (answer === null || answer.items.length === 0) return null;
    this.at = -1;
    this.add(answer, 0);
    this.draw();
    return this.items[0];
  }

  /** Show where in the queue a view is, and what has become of it. A queue may have a sentence for several words. */
  mark({ sentence, status, text }, item) {
    const isHere = (at) => this.items[at]?.sentence === sentence;
    if (this.items.includes(item)) this.at = this.items.indexOf(item);
    else if (!isHere(this.at)) this.at = this.items.findIndex((_, at) => isHere(at));
    for (const each of this.items) if (each.sentence === sentence) Object.assign(each, { status, text });
    this.draw();
    const isPart = this.first > 0 || this.next !== null;
    if (this.at < 0 && isPart && this.sought !== sentence) this.seek(sentence);
  }

  draw() {
    const focused = [...this.list.querySelectorAll("button")].indexOf(document.activeElement);
    const items = this.items.map((item, at) =>
      el(
        "li",
        {},
        el(
          "button",
          {
            type: "button",
            onclick: () => this.go(item),
            "aria-current": at === this.at ? "true" : null,
            title: item.why || null,
          },
          el("span", { class: "sign", "aria-label": item.status }, item.status === "done" ? "✓" : "·"),
          el("span", { dir: "auto", class: "text" }, item.form && el("strong", {}, el("bdi", {}, item.form), ": "), item.text),
          item.score !== null && el("small", {}, item.score.toFixed(2)),
        ),
      ),
    );
    this.list.replaceChildren(...items);
    this.earlier.hidden = this.first === 0;
    this.more.hidden = this.next === null;
    if (focused >= 0) this.list.querySelectorAll("button")[focused]?.focus();
    const here = this.list.querySelector("[aria-current]");
    if (here) this.list.scrollTop = here.offsetTop - this.list.offsetTop - this.list.clientHeight / 3;
  }
}
