// Drawn dice, and elements whose texts go in as text, never as HTML.
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
  d8: ["50,3 92,50 50,97 8,50", 50],
  d10: ["50,3 96,42 50,97 4,42", 46],
  d12: ["50,3 96,37 79,93 21,93 4,37", 53],
  d20: ["50,2 93,26 93,74 50,98 7,74 7,26", 50],
};

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
  svg.append(drawing("text", { x: 50, y: middle, "font-size": kind === "d4" ? 34 : 42 }, String(value)));
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

// A row of a list of throws.
export function thrownItem(thrown, remarks) {
  const item = element("li");
  const faces = element("span", thrown.dice.length > 6 ? "faces many" : "faces");
  const labels = said(thrown.dice);
  faces.append(...thrown.dice.slice(0, 12).map((one, index) => die(one, labels[index])));
  if (thrown.dice.length > 12) faces.append(element("span", "", "…"));
  item.append(element("span", "who", [thrown.seat, ...remarks].filter(Boolean).join(", ")), faces);
  return item;
}

// What is said one after the other; some of it ends with a full stop already.
export const sentences = (parts) => parts.filter(Boolean).map((part) => part.replace(/\.$/, "")).join(". ");

// The text, only if it is another one: a screen reader says it again otherwise.
export function put(where, text) {
  if (where.textContent !== text) where.textContent = text;
}
