// Learning on the way: a training in the background, and the curve of accuracy against work done.

import { ask } from "./api.js";
import { button, el, message, say, svg } from "./dom.js";

const AGAIN = 1500; // milliseconds between two looks at a training
const WIDTH = 300;
const HEIGHT = 180;
const EDGE = { left: 36, right: 14, top: 24, bottom: 36 };
const STATES = { idle: "", training: "Training", better: "Better", worse: "Not better", failed: "Failed" };

export class Learning {
  /** `learned(isBetter)` is called after a training; a better model has taken the place of the last one. */
  constructor(learning, learned) {
    this.learned = learned;
    this.button = button("Retrain", () => this.retrain(), { class: "main" });
    this.text = el("p", { role: "status" });
    this.bar = el("progress", { max: 1, "aria-label": "Progress of the training" });
    this.curve = el("div");
    const row = el("div", { class: "row" }, this.button, this.text);
    this.element = el("details", { class: "card" }, el("summary", {}, "Learning"), row, this.bar, this.curve);
    this.draw(learning);
  }

  async retrain() {
    try {
      this.draw(await ask("retrain"));
    } catch (error) {
      this.curve.prepend(message(error.message, "fault"));
    }
  }

  async look() {
    try {
      this.draw(await ask("learning"));
    } catch {
      this.timer = setTimeout(() => this.look(), AGAIN);
    }
  }

  draw(learning) {
    clearTimeout(this.timer);
    const { state, message: text, progress, curve } = learning;
    const wasTraining = this.state === "training";
    this.state = state;
    const isTraining = state === "training";
    this.button.disabled = isTraining;
    const told = [STATES[state], text].filter(Boolean).join(": ");
    if (this.text.textContent !== told) this.text.textContent = told;
    this.bar.hidden = !isTraining;
    if (progress === null) this.bar.removeAttribute("value");
    else this.bar.value = progress;
    const points = JSON.stringify(curve);
    if (points !== this.points) this.curve.replaceChildren(...(curve.length > 0 ? [drawCurve(curve)] : []));
    this.points = points;
    if (isTraining) this.timer = setTimeout(() => this.look(), AGAIN);
    else if (wasTraining) {
      say(told || "The training has come to nothing", true); // the server is another one than when it began
      this.learned(state === "better");
    }
  }
}

/** Round numbers between two others, about so many. */
function ticks(low, high, count) {
  const rough = (high - low) / count || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough);
  const first = Math.ceil(low / step) * step;
  return Array.from({ length: Math.floor((high - first) / step + 1e-9) + 1 }, (_, k) => first + k * step);
}

/** The curve: LAS on the held-out share against the words that were annotated. */
function drawCurve(curve) {
  const scores = curve.map(({ las }) => las);
  const [low, high] = [Math.max(0, Math.min(...scores) - 3), Math.min(100, Math.max(...scores) + 3)];
  const most = Math.max(...curve.map(({ words }) => words), 1);
  const x = (words) => EDGE.left + (words / most) * (WIDTH - EDGE.left - EDGE.right);
  const y = (score) => HEIGHT - EDGE.bottom - ((score - low) / (high - low)) * (HEIGHT - EDGE.top - EDGE.bottom);
  const places = curve.map(({ words }, k) => [x(words), y(scores[k])]);
  const told = curve.map(
    ({ words, seconds, las }) => `${words} words, ${Math.round(seconds / 60)} minutes: ${las.toFixed(1)}`,
  );
  const rows = ticks(low, high, 4).flatMap((score) => [
    svg("path", { class: "grid", d: `M${EDGE.left} ${y(score)}H${WIDTH - EDGE.right}` }),
    svg("text", { x: EDGE.left - 6, y: y(score) + 4, class: "end" }, String(Number(score.toFixed(1)))),
  ]);
  const columns = ticks(0, most, 4).map((words) =>
    svg("text", { x: x(words), y: HEIGHT - EDGE.bottom + 16 }, words.toLocaleString("en")),
  );
  return svg(
    "svg",
    { class: "curve", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `LAS by work: ${told.join("; ")}` },
    rows,
    columns,
    svg("text", { x: (EDGE.left + WIDTH - EDGE.right) / 2, y: HEIGHT - 3 }, "words annotated"),
    svg("text", { class: "end", x: EDGE.left - 6, y: 10 }, "LAS"),
    svg("path", { class: "way", d: `M${places.map((place) => place.join(" ")).join("L")}` }),
    places.map(([cx, cy], k) => svg("circle", { cx, cy, r: 3.5 }, svg("title", {}, told[k]))),
  );
}
