// Drawn dice, and elements whose texts go in as text, never as HTML.
import { part } from "./stream.js";

const SVG = "http://www.w3.org/2000/svg";
const PIPS = {
  1: [[50, 50]],
  2: [[27, 27], [73, 73]],
  3: [[27, 27], [50, 50], [73, 73]],
  4: [[27, 27], [73, 27], [27, 73], [73, 73]],
  5: [[27, 27], [73, 27], [50, 50], [27, 73], [73, 73]],
  6: [[27, 24], [73, 24], [27, 50], [73, 50], [27, 76], [73, 76]],
};
const OUTLINES = {
  d4: ["50,6 97,90 3,90", 62],
  d8: ["50,3 97,50 50,97 3,50", 46],
  d10: ["50,4 80,17 98,62 50,97 2,62 20,17", 44],
  d12: ["50,3 79,12 97,37 97,67 79,90 50,98 21,90 3,67 3,37 21,12", 52],
  d20: ["50,2 93,26 93,74 50,98 7,74 7,26", 55],
};
// The edges of the faces that are seen, so that each kind has a look of its own.
const EDGES = {
  d8: "M3 50L50 74L97 50M50 74V97",
  d10: "M50 4L16 60L50 74L84 60ZM16 60L2 62M84 60L98 62M50 74V97",
  d12: "M50 21L79 42L68 77H32L21 42ZM50 21V3M79 42L97 37M68 77L79 90M32 77L21 90M21 42L3 37",
  d20: "M50 22L79 71H21ZM50 22V2M50 22L7 26M50 22L93 26M79 71L93 26M79 71L93 74M79 71L50 98M21 71L50 98M21 71L7 74M21 71L7 26",
};
// A percentile die has the shape of a d10.
OUTLINES.d100 = OUTLINES.d10;
EDGES.d100 = EDGES.d10;
const SIZES = { d4: 40, d8: 42, d10: 40, d12: 40, d20: 34, d100: 34 };

export const byId = (id) => document.getElementById(id);

export function element(tag, name, text) {
  const made = document.createElement(tag);
  if (name) made.className = name;
  if (text !== undefined) made.textContent = text;
  return made;
}

export function drawing(tag, attributes, text) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

const namesKinds = (dice) => dice.some(({ kind }) => kind !== "d6");

// What the dice of a question show: both values of a corrected one, and a mark at a value that is asked about.
/** @param {Question} question */
export function questioned({ about, dice }) {
  const labels = said(dice.map((one) => ({ ...one, value: one.value ?? "?" })));
  return dice.map(({ before, asked }, index) =>
    (before === null ? labels[index] + (asked && about === "value" ? "?" : "") : `${before} → ${labels[index]}`).replace("??", "?"));
}

// The dice of a throw as the panel says them: kinds are named unless all are d6.
export function said(dice) {
  const named = namesKinds(dice);
  return dice.map(({ kind, value }) => (named ? `${kind}:${value}` : String(value)));
}

function die({ kind, value }, label) {
  const svg = drawing("svg", { viewBox: "0 0 100 100", class: "die", role: "img", "aria-label": label });
  if (kind === "d6" && PIPS[value]) {
    svg.append(drawing("rect", { x: 4, y: 4, width: 92, height: 92, rx: 18, class: "body" }));
    for (const [cx, cy] of PIPS[value]) svg.append(drawing("circle", { cx, cy, r: 10, class: "pip" }));
    return svg;
  }
  const [points, middle] = OUTLINES[kind] || ["4,4 96,4 96,96 4,96", 50];
  svg.append(drawing("polygon", { points, class: "body" }));
  if (EDGES[kind]) svg.append(drawing("path", { d: EDGES[kind], class: "edge" }));
  svg.append(drawing("text", { x: 50, y: middle, "font-size": SIZES[kind] || 42 }, kind === "d100" && value === 0 ? "00" : String(value ?? "?")));
  return svg;
}

export function drawn(dice) {
  const labels = said(dice);
  const named = namesKinds(dice);
  return dice.map((one, index) => {
    const svg = die(one, labels[index]);
    if (!named) return svg;
    const figure = element("figure");
    figure.append(svg, element("figcaption", "", one.kind));
    return figure;
  });
}

// Whether the last throw is older than the cups that are down: a new round goes on without open dice.
/** @param {Snapshot} snapshot */
export const isEarlier = ({ awaits, seats }) => awaits !== "reveal" && seats.some((seat) => seat.under_cup);

// A fault that guests are told of holds the game: nobody is asked to throw meanwhile.
/** @param {Snapshot} state */
export const isHeld = ({ troubles, wrong }) => troubles.some(({ what }) => wrong.startsWith(what.replace(/\.$/, "")));

// A row of a list of throws.
let marks = { number: 0, answer: Promise.resolve(null) };

// Where the dice of a throw are in its picture, and how they moved, fetched once for all that show it. Null if it
// can't be had.
export function marksOf(number) {
  if (marks.number !== number) {
    marks = { number, answer: fetch(`/throws/${number}.json`).then((answer) => (answer.ok ? answer.json() : null)).catch(() => null) };
    marks.answer.then((found) => { if (!found && marks.number === number) marks.number = 0; });
  }
  return marks.answer;
}

/** @param {ShownThrow} thrown @param {string[]} remarks */
export function thrownItem(thrown, remarks) {
  const item = element("li");
  const faces = element("span", thrown.dice.length > 6 ? "faces many" : "faces");
  const labels = said(thrown.dice);
  faces.append(...thrown.dice.slice(0, 12).map((one, index) => die(one, labels[index])));
  if (thrown.dice.length > 12) faces.append(element("span", "", "…"));
  item.append(element("span", "who", [thrown.seat, ...remarks].filter(Boolean).join(", ")), faces);
  return item;
}

// What is said one after the other, each with a capital; some of it ends with a full stop already.
export const sentences = (parts) => parts.filter(Boolean)
  .map((part) => part.charAt(0).toUpperCase() + part.slice(1).replace(/\.$/, "")).join(". ");

// Who could be in; those who are not yet are only drawn round.
/** @param {AskedSeat[]} seats */
export const chips = (seats) => seats.map(({ name, colour, wants }) => element("li", `seat${colour} shape${wants ? "" : " waits"}`, name));

let loading; // what shows tiles, from the first stage on that has some
/** @param {ShownStage?=} stage */
export function putTiles(stage) {
  if (loading || stage?.tiles?.length) (loading ??= part(() => import("./tiles.js"))).then(({ showTiles }) => showTiles(stage?.tiles));
}

// What the best throw of a game is called; empty without one.
/** @param {Podium?=} podium @param {string=} best @param {string=} rarest */
export const bestOf = (podium, best = "", rarest = "") =>
  (podium?.best ? (podium.rare ? rarest : best).replace("{count}", podium.chance.toLocaleString(document.documentElement.lang)) : "");

// As many of the parts as their place has room for, each of them whole; `more` stands for the others.
export function putWhole(where, parts, more = []) {
  for (let count = parts.length; count >= 0; count -= 1) {
    put(where, [...parts.slice(0, count), ...(count < parts.length ? more : [])].join(" · "));
    if (where.scrollWidth <= where.clientWidth && where.scrollHeight <= where.clientHeight + 4) return;
  }
}

// The text, only if it is another one: a screen reader says it again otherwise.
export function put(where, text) {
  if (where.textContent !== text) where.textContent = text;
}
