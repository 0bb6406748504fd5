// The page: four views, one at a time, by the fragment of the address.

import { ask } from "./api.js";
import { CorrectView } from "./correct.js";
import { message } from "./dom.js";
import { readLink } from "./link.js";
import { OracleView } from "./oracle.js";
import { ParseView } from "./parse.js";
import { SearchView } from "./search.js";
import { prepareTheme } from "./theme.js";

const VIEWS = ["parse", "correct", "search", "oracle"];

function prepareViews(about) {
  const sections = Object.fromEntries(VIEWS.map((name) => [name, document.getElementById(name)]));
  const parse = new ParseView(sections.parse, about, show);
  const correct = new CorrectView(sections.correct, about, show);
  new SearchView(sections.search, about);
  const oracle = new OracleView(sections.oracle, about);

  function reveal(name) {
    for (const [key, section] of Object.entries(sections)) section.hidden = key !== name;
    for (const link of document.querySelectorAll("nav a")) {
      const isHere = link.getAttribute("href").slice(1) === name;
      if (isHere) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    document.title = `Dodona: ${name}`;
  }

  /** Go to another view, with something to show there. */
  function show(name, value) {
    history.pushState(null, "", `#${name}`);
    reveal(name);
    if (name === "correct") correct.open(value);
    if (name === "oracle") oracle.take(value);
    scrollTo(0, 0);
  }

  function follow() {
    const { view, lesson } = readLink(location.hash);
    const name = VIEWS.includes(view) ? view : "parse";
    reveal(name);
    if (name === "oracle") oracle.open(lesson);
    if (name === "parse" && parse.answer === null && parse.text.value) parse.run();
    if (name === "correct") correct.offer(parse.taken);
  }

  addEventListener("hashchange", follow);
  follow();
}

prepareTheme();
try {
  prepareViews(await ask("systems"));
} catch (error) {
  const [first] = VIEWS;
  document.getElementById(first).hidden = false;
  document.getElementById(first).append(message(error.message, "fault"));
}
document.documentElement.dataset.ready = "";
