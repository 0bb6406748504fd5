// The lattice: all derivations that an oracle allows, as a graph of configurations. The server lays it out.

import { ask } from "./api.js";
import { el, message, svg } from "./dom.js";

const NODE = 26; // heights
const LABEL = 18;
const BETWEEN = 22;
const MARGIN = 14;
const MARKS = ["A", "B", "C", "D", "E", "F"];

/** Fetches and draws the lattice; `jump(moves)` is called when a configuration is chosen. */
export async function lattice(request, jump) {
  const graph = await ask("lattice", request);
  if (graph.counts === null) {
    return message(
      `There are more than ${graph.more_than.toLocaleString("en")} configurations: too many to count here.`,
    );
  }
  const told = summary(graph);
  if (graph.nodes === null) return message(`${told} Too many to draw.`);
  const legend = graph.static.map(({ name, length }, i) =>
    el("li", {}, el("span", { class: `mark path-${i}` }, MARKS[i]), ` ${name}: ${length} transitions`),
  );
  const frame = el("div", { class: "frame", tabindex: 0, role: "group", "aria-label": "Lattice" }, drawn(graph, jump));
  const off = el("p", { class: "off", hidden: true }, "After a mistake, the derivation is not among these.");
  return el("div", { class: "lattice" }, el("p", {}, told), el("ul", { class: "legend" }, legend), off, frame);
}

function summary({ oracle, counts }) {
  const { derivations, shortest, longest, configurations, transitions } = counts;
  const length = shortest === longest ? shortest : `${shortest} to ${longest}`;
  const several = derivations === "1" ? "derivation" : "derivations";
  return (
    `The oracle ${oracle} allows ${derivations} ${several} of ${length} transitions: ` +
    `${configurations} configurations with ${transitions} transitions.`
  );
}

function drawn(graph, jump) {
  const rows = 1 + Math.max(...graph.nodes.map(({ row }) => row));
  const top = (row) => MARGIN + Math.ceil(row / 2) * (NODE + BETWEEN) + Math.floor(row / 2) * (LABEL + BETWEEN);
  const height = top(rows - 1) + NODE + MARGIN;
  const width = graph.width + 2 * MARGIN;
  const drawing = svg("svg", { class: "graph", width, height, viewBox: `0 0 ${width} ${height}`, role: "group" });
  drawing.setAttribute("aria-label", "Configurations; each leads to its place in the derivation");
  for (const edge of graph.edges) drawing.append(drawnEdge(edge, top));
  graph.nodes.forEach((node, i) => drawing.append(drawnNode(node, top, () => jump(movesTo(graph.nodes, i)))));
  return drawing;
}

/** One of the ways from the start to a node. */
function movesTo(nodes, i) {
  const moves = [];
  for (let from = nodes[i].from; from !== null; from = nodes[from[0]].from) moves.unshift(from[1]);
  return moves;
}

function drawnNode(node, top, onclick) {
  const [x, y] = [node.x + MARGIN, top(node.row)];
  const several = node.derivations === "1" ? "derivation leads" : "derivations lead";
  const box = (inset) => ({
    x: x - node.width / 2 + inset,
    y: y + inset,
    width: node.width - 2 * inset,
    height: NODE - 2 * inset,
    rx: 6 - inset,
  });
  return svg(
    "g",
    {
      class: "node",
      "data-key": node.key,
      role: "button",
      tabindex: 0,
      "aria-label": `${node.text}; ${node.derivations} ${several} through it`,
      onclick,
      onkeydown: (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        event.stopPropagation();
        onclick();
      },
    },
    svg("rect", { class: "box", ...box(0) }),
    node.end ? svg("rect", { class: "end", ...box(3) }) : null,
    svg("text", { x, y: y + NODE / 2 + 4 }, node.text),
    svg("title", {}, `${node.derivations} ${several} through this configuration`),
  );
}

function drawnEdge(edge, top) {
  const places = edge.through.map(([x, row]) => ({
    x: x + MARGIN,
    top: top(row),
    bottom: top(row) + (row % 2 ? LABEL : NODE),
  }));
  let d = "";
  for (let i = 0; i + 1 < places.length; i++) {
    const [one, other] = [places[i], places[i + 1]];
    const middle = (one.bottom + other.top) / 2;
    d += i < 2 ? `M${one.x} ${one.bottom}` : `L${one.x} ${one.bottom}`;
    d += `C${one.x} ${middle} ${other.x} ${middle} ${other.x} ${other.top}`;
  }
  const marked = edge.static.length > 0 ? `static path-${edge.static[0]}` : "";
  const marks = edge.static.map((i) => MARKS[i]).join("");
  const label = svg("text", { class: "label", x: places[1].x, y: places[1].top + LABEL / 2 + 4 }, edge.name);
  if (marks) label.append(svg("tspan", { class: "marks", dx: 5 }, marks));
  return svg("g", { class: `edge ${marked}` }, svg("path", { d }), label);
}

/** Mark the configuration where the derivation is now; after a mistake there is none. */
export function markNode(place, key) {
  for (const node of place.querySelectorAll(".node")) {
    const isHere = node.getAttribute("data-key") === key;
    node.classList.toggle("here", isHere);
    if (isHere) node.setAttribute("aria-current", "step");
    else node.removeAttribute("aria-current");
  }
  const off = place.querySelector(".off");
  if (off) off.hidden = place.querySelector(".node.here") !== null;
}
