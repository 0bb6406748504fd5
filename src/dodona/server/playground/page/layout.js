// Where words, arcs and labels of a tree go. Pure arithmetic, from left to right; `mirrored` turns it around.
//
// An arc has two legs and a bar between them, on a level of its own: two arcs whose bars would touch are on different
// levels, shorter ones nearer to the words. Words stand far enough apart for each label to fit between the legs of its
// arc. So labels overlap neither each other nor, unless arcs cross, any leg.

export const SLOT = 11; // between two legs at the same word
export const LEVEL = 27; // height of a level
const GAP = 14; // between two words
const PAD = 12; // between a label and a leg
const EDGE = 10; // around the drawing

/**
 * `widths` of the words; `arcs` have head, dependent (1 is the first word, head 0 is ROOT), width of the label, and
 * side: 1 above the words, -1 below. Returns x of each word, and for each arc its legs, its level and its label's x.
 */
export function laidOut(widths, arcs) {
  const offsets = legOffsets(widths.length, arcs);
  const needed = widths.map((width, k) => Math.max(width, SLOT * offsets.most[k + 1] + 4));
  const x = wordPositions(needed, arcs, offsets);
  const placed = arcs.map((arc, i) => {
    const to = x[arc.dependent - 1] + offsets.dependent[i];
    const from = arc.head === 0 ? to : x[arc.head - 1] + offsets.head[i];
    return { ...arc, from, to, low: Math.min(from, to), high: Math.max(from, to) };
  });
  for (const side of [1, -1]) setLevels(placed.filter((arc) => arc.side === side));
  for (const arc of placed) arc.labelX = labelPosition(arc, placed);
  return moved(x, needed, placed);
}

/** Legs at a word: left-going ones from the shortest to the longest, then from ROOT, then right-going, longest first. */
function legOffsets(n, arcs) {
  const ends = Array.from({ length: n + 1 }, () => ({ 1: [], "-1": [] }));
  arcs.forEach((arc, i) => {
    ends[arc.dependent][arc.side].push({ i, end: "dependent", reach: arc.head === 0 ? 0 : arc.head - arc.dependent });
    if (arc.head > 0) ends[arc.head][arc.side].push({ i, end: "head", reach: arc.dependent - arc.head });
  });
  const found = { head: [], dependent: [], most: ends.map(() => 0) };
  const rank = (reach) => (reach < 0 ? -1e6 - reach : reach > 0 ? 1e6 - reach : 0);
  ends.forEach((sides, k) => {
    for (const legs of Object.values(sides)) {
      legs.sort((one, other) => rank(one.reach) - rank(other.reach));
      legs.forEach((leg, place) => (found[leg.end][leg.i] = (place - (legs.length - 1) / 2) * SLOT));
      found.most[k] = Math.max(found.most[k], legs.length);
    }
  });
  return found;
}

function wordPositions(widths, arcs, offsets) {
  const ending = widths.map(() => []);
  arcs.forEach((arc, i) => {
    if (arc.head === 0) return;
    const isRight = arc.dependent > arc.head;
    const last = Math.max(arc.head, arc.dependent);
    const [first, begin, end] = isRight
      ? [arc.head, offsets.head[i], offsets.dependent[i]]
      : [arc.dependent, offsets.dependent[i], offsets.head[i]];
    ending[last - 1].push({ first: first - 1, apart: arc.width + 2 * PAD + begin - end });
  });
  const x = [];
  widths.forEach((width, k) => {
    let at = k === 0 ? width / 2 : x[k - 1] + widths[k - 1] / 2 + GAP + width / 2;
    for (const { first, apart } of ending[k]) at = Math.max(at, x[first] + apart);
    x.push(at);
  });
  return x;
}

function setLevels(arcs) {
  const spans = arcs.map((arc) => {
    const wide = arc.head === 0 ? arc.width / 2 + 4 : 0;
    return { arc, low: arc.low - wide, high: arc.high + wide, last: arc.head === 0 };
  });
  spans.sort((one, other) => one.last - other.last || one.high - one.low - (other.high - other.low));
  const done = [];
  for (const span of spans) {
    const below = done.filter((other) => other.low < span.high + 3 && span.low < other.high + 3);
    span.arc.level = 1 + Math.max(0, ...below.map((other) => other.arc.level));
    done.push(span);
  }
}

/** The middle of the bar, or the place nearest to it where no leg of a crossing arc goes through the label. */
function labelPosition(arc, all) {
  const middle = (arc.low + arc.high) / 2;
  if (arc.head === 0) return middle;
  const room = arc.width / 2 + 4;
  const legs = all
    .filter((other) => other !== arc && other.side === arc.side && other.level > arc.level)
    .flatMap((other) => [other.from, other.to])
    .filter((leg) => leg > arc.low && leg < arc.high);
  const candidates = [middle, ...legs.flatMap((leg) => [leg - room, leg + room])].filter(
    (at) => at - room >= arc.low && at + room <= arc.high && legs.every((leg) => Math.abs(leg - at) >= room - 0.01),
  );
  candidates.sort((one, other) => Math.abs(one - middle) - Math.abs(other - middle));
  return candidates[0] ?? middle;
}

/** Shift everything so that it begins at the edge. */
function moved(x, widths, arcs) {
  const lows = [...x.map((at, k) => at - widths[k] / 2), ...arcs.map((arc) => arc.labelX - arc.width / 2)];
  const highs = [...x.map((at, k) => at + widths[k] / 2), ...arcs.map((arc) => arc.labelX + arc.width / 2)];
  const shift = EDGE - Math.min(...lows);
  const levels = (side) => Math.max(0, ...arcs.filter((arc) => arc.side === side).map((arc) => arc.level));
  return {
    x: x.map((at) => at + shift),
    widths,
    arcs: arcs.map((arc) => ({ ...arc, from: arc.from + shift, to: arc.to + shift, labelX: arc.labelX + shift })),
    width: Math.max(...highs) + shift + EDGE,
    above: levels(1),
    below: levels(-1),
  };
}

/** The same layout for a language that is written from right to left. */
export function mirrored(layout) {
  const turn = (at) => layout.width - at;
  return {
    ...layout,
    x: layout.x.map(turn),
    arcs: layout.arcs.map((arc) => ({ ...arc, from: turn(arc.from), to: turn(arc.to), labelX: turn(arc.labelX) })),
  };
}
