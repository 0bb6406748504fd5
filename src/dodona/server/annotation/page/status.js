// How far the work is, by whom, how fast, and how well two annotators agree: what `dodona annotate --status` prints.

import { ask } from "./api.js";
import { el, message } from "./dom.js";

export class Status {
  constructor() {
    this.body = el("div");
    this.element = el("details", { class: "card" }, el("summary", {}, "Status"), this.body);
    this.element.addEventListener("toggle", () => this.update());
  }

  /** Ask anew, if it is to be seen. */
  async update() {
    if (!this.element.open) return;
    try {
      const tables = Object.entries(await ask("status")).filter(([, rows]) => rows.length > 0);
      this.body.replaceChildren(...tables.map(([title, rows]) => drawTable(title, rows)));
    } catch (error) {
      this.body.replaceChildren(message(error.message, "fault"));
    }
  }
}

/** A table of rows that have the same keys. */
function drawTable(title, rows) {
  const cell = (name, value) =>
    name === "file"
      ? value.split(/[\\/]/).at(-1)
      : name === "last"
        ? new Date(1000 * value).toLocaleString()
        : typeof value === "number"
          ? value.toLocaleString("en")
          : typeof value === "boolean"
            ? { true: "yes", false: "no" }[value]
            : String(value ?? "");
  const names = Object.keys(rows[0]);
  const head = names.map((name) => el("th", { scope: "col" }, name.replaceAll("_", " ")));
  const body = rows.map((row) =>
    el(
      "tr",
      {},
      names.map((name) => el("td", { class: "number", dir: "auto" }, cell(name, row[name]))),
    ),
  );
  const table = el("table", {}, el("thead", {}, el("tr", {}, head)), el("tbody", {}, body));
  const frame = el("div", { class: "frame", tabindex: 0, role: "group", "aria-label": title }, table);
  return el("div", {}, el("h2", {}, title), frame);
}
