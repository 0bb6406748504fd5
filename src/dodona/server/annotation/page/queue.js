// The queue: sentences in the order in which they are worked on.

import { ask, latest } from "./api.js";
import { button, el, field, message, select } from "./dom.js";

const ORDERS = {
  file: "as in the file",
  doubt: "least sure first",
  information: "most informative first",
  suspects: "suspects first",
  search: "search",
};
const COUNT = 50; // sentences at a time
const AGAIN = 1500; // milliseconds, while suspects are looked for
const PATTERN = "pattern { V [upos=VERB]; V -[nsubj]-> S }";

export class QueueList {
  /** `go(item)` opens the sentence of an item; `started()` is called when a queue is there. */
  constructor(orders, order, { go, started }) {
    this.order = orders.includes(order) ? order : orders[0];
    this.go = go;
    this.started = started;
    this.items = [];
    this.total = 0;
    this.at = -1; // the place of the present sentence
    this.load = latest((request) => ask("queue", request));
    this.list = el("ol", { class: "queue", "aria-label": "Sentences" });
    this.notes = el("div", { "aria-live": "polite" });
    this.more = button("More", () => this.extend(), { class: "quiet" });
    this.pattern = el("textarea", { rows: 3, spellcheck: "false", class: "code", maxlength: 5000 });
    this.pattern.value = PATTERN;
    const search = button("Search", () => this.start());
    this.search = el("div", { class: "form" }, field("Pattern, in the language of Grew", this.pattern), search);
    this.pattern.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.start();
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
    clearTimeout(this.timer);
    this.items = [];
    this.at = -1;
    await this.extend();
    if (this.items.length > 0) await this.started();
  }

  /** Load the next part of the queue. */
  async extend() {
    clearTimeout(this.timer);
    try {
      const answer = await this.load({ ...this.request, first: this.items.length, count: COUNT });
      if (answer === null) return;
      this.items.push(...answer.items);
      this.total = answer.total;
      this.notes.replaceChildren(...this.note(answer));
      if (answer.wait) this.timer = setTimeout(() => this.start(), AGAIN);
    } catch (error) {
      const fault = message(error.message, "fault");
      if (this.order === "search") fault.classList.add("exact"); // with the line of the pattern, and a caret below it
      this.notes.replaceChildren(fault);
    }
    this.draw();
  }

  /** Load the same part again, where sentences were split or joined, or a new model has another order. */
  async renew() {
    const count = Math.max(COUNT, this.items.length);
    const answer = await this.load({ ...this.request, first: 0, count }).catch(() => null);
    if (answer === null || answer.wait) return;
    const here = this.items[this.at]?.sentence;
    [this.items, this.total] = [answer.items, answer.total];
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
    return total === 0 ? [message("There is no sentence here.")] : [];
  }

  /** The item so many places further, or null; `isOpen`: one that is not done yet. */
  async step(by, isOpen = false) {
    for (let at = this.at + by; at >= 0; at += by) {
      if (at >= this.items.length && this.items.length < this.total) await this.extend();
      const item = this.items[at];
      if (item === undefined) return null;
      if (!isOpen || item.status === "open") return item;
    }
    return null;
  }

  /** Show where in the queue a view is, and what has become of it. A queue may have a sentence for several words. */
  mark({ sentence, status, text }, item) {
    const isHere = (at) => this.items[at]?.sentence === sentence;
    if (this.items.includes(item)) this.at = this.items.indexOf(item);
    else if (!isHere(this.at)) this.at = this.items.findIndex((_, at) => isHere(at));
    for (const each of this.items) if (each.sentence === sentence) Object.assign(each, { status, text });
    this.draw();
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
    this.more.hidden = this.items.length >= this.total;
    if (focused >= 0) this.list.querySelectorAll("button")[focused]?.focus();
    const here = this.list.querySelector("[aria-current]");
    if (here) this.list.scrollTop = here.offsetTop - this.list.offsetTop - this.list.clientHeight / 3;
  }
}
