// The fragment of the address: which view, and for the oracle the sentence, its tree, the systems and the moves so far.
// Lists are written with `+` between their values, so that a person can read them.

const written = (values) => values.map((value) => encodeURIComponent(value)).join("+");
const read = (text) => (text === "" ? [] : text.split("+").map(decodeURIComponent));

/** `lesson` has words, heads, labels, labelled, guess, and panels with system, oracle, options and moves. */
export function oracleLink(lesson) {
  const parts = [`w=${written(lesson.words)}`, `h=${written(lesson.heads)}`];
  if (lesson.labels) parts.push(`l=${written(lesson.labels)}`);
  if (lesson.labelled) parts.push("labelled");
  if (lesson.guess) parts.push("guess");
  for (const panel of lesson.panels) {
    const options = Object.entries(panel.options).map(([key, value]) => `${key}:${value}`);
    parts.push(`s=${written([panel.system, panel.oracle, ...options])}`, `m=${written(panel.moves)}`);
  }
  return `#oracle?${parts.join("&")}`;
}

/** The view of a fragment, and the lesson in it; null where it has none, or a damaged one. */
export function readLink(fragment) {
  const [view, rest] = fragment.replace(/^#/, "").split(/\?(.*)/s);
  if (!rest) return { view, lesson: null };
  try {
    return { view, lesson: readLesson(rest) };
  } catch {
    return { view, lesson: null };
  }
}

function readLesson(text) {
  const lesson = { words: [], heads: [], labels: null, labelled: false, guess: false, panels: [] };
  for (const part of text.split("&")) {
    const [key, value = ""] = part.split(/=(.*)/s);
    if (key === "w") lesson.words = read(value);
    if (key === "h") lesson.heads = read(value).map(Number);
    if (key === "l") lesson.labels = read(value);
    if (key === "labelled") lesson.labelled = true;
    if (key === "guess") lesson.guess = true;
    if (key === "s") lesson.panels.push({ ...readSystem(read(value)), moves: [] });
    if (key === "m") lesson.panels.at(-1).moves = read(value);
  }
  return lesson.words.length > 0 && lesson.panels.length > 0 ? lesson : null;
}

function readSystem([system, oracle, ...options]) {
  const pairs = options.map((option) => option.split(/:(.*)/s).slice(0, 2));
  const values = pairs.map(([key, value]) => [key, value === "true" ? true : value]);
  return { system, oracle, options: Object.fromEntries(values) };
}
