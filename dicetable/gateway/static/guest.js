// The guest page. It shows the newest snapshot of /events, whole; every text goes in as text, never as HTML.
"use strict";

const SILENCE_MS = 25000; // the gateway says something every 10 s
const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 5000;
const GAME_MS = 15000;
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

const words = document.body.dataset;
const byId = (id) => document.getElementById(id);
let source = null;
let retryMs = FIRST_RETRY_MS;
let silence = 0;
let shownPhase = "";
let shownPicture = null;

function element(tag, name, text) {
  const made = document.createElement(tag);
  if (name) made.className = name;
  if (text !== undefined) made.textContent = text;
  return made;
}

function drawing(tag, attributes, text) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

function die({ kind, value }) {
  const svg = drawing("svg", { viewBox: "0 0 100 100", class: "die", role: "img", "aria-label": `${kind}: ${value}` });
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

function named(one) {
  if (one.kind === "d6") return die(one);
  const figure = element("figure");
  figure.append(die(one), element("figcaption", "", one.kind));
  return figure;
}

function remarks(thrown) {
  return [thrown.by_hand ? words.byHand : "", thrown.corrected ? words.corrected : ""].filter(Boolean);
}

function showLast(thrown) {
  byId("dice").replaceChildren(...(thrown ? thrown.dice.map(named) : []));
  byId("dice").classList.toggle("some", Boolean(thrown) && thrown.dice.length > 6);
  byId("dice").classList.toggle("many", Boolean(thrown) && thrown.dice.length > 12);
  const notes = thrown ? remarks(thrown) : [];
  byId("last-who").textContent = thrown
    ? thrown.seat + (notes.length ? ` (${notes.join(", ")})` : "")
    : words.noThrows;
  const picture = byId("picture");
  const wanted = thrown && thrown.picture ? `/throws/${thrown.number}.jpg` : "";
  if (wanted === shownPicture) return;
  shownPicture = wanted;
  picture.hidden = true;
  if (!wanted) return picture.removeAttribute("src");
  picture.onload = () => { picture.hidden = false; };
  picture.onerror = () => { picture.hidden = true; };
  picture.alt = words.pictureAlt;
  picture.src = wanted;
}

function showThrows(throws) {
  byId("throws").replaceChildren(...throws.map((thrown) => {
    const item = element("li");
    const faces = element("span", "faces");
    faces.append(...thrown.dice.slice(0, 12).map(die));
    if (thrown.dice.length > 12) faces.append(element("span", "", "…"));
    item.append(element("span", "who", [thrown.seat, ...remarks(thrown)].filter(Boolean).join(", ")), faces);
    return item;
  }));
  byId("history").hidden = throws.length === 0;
}

function showSeats(seats) {
  byId("seats").replaceChildren(...seats.map((seat) => {
    const item = element("li", [seat.asked ? "asked" : "", seat.winner ? "winner" : ""].join(" ").trim());
    const mark = element("span", "mark", seat.winner ? "★" : seat.asked ? "▶" : "");
    if (seat.asked) item.setAttribute("aria-current", "true");
    const more = [
      seat.standing,
      seat.under_cup ? `${words.cup} ${seat.under_cup}` : "",
      seat.away ? words.awaySeat : "",
    ].filter(Boolean).join(" · ");
    item.append(mark, element("span", "name", seat.name), element("span", "score", seat.score), element("span", "more", more));
    return item;
  }));
}

// The rules stand open where there is room for them beside the seats.
function openRules(seats) {
  document.querySelector("#rules details").open = seats <= 5 && matchMedia("(min-width: 62rem)").matches;
}

function celebrate() {
  const colours = ["#ffd166", "#06d6a0", "#ef476f", "#4cc9f0", "#f6f1e3"];
  byId("confetti").replaceChildren(...Array.from({ length: 60 }, (_, number) => {
    const piece = element("i");
    piece.style.left = `${(number * 61) % 100}vw`;
    piece.style.background = colours[number % colours.length];
    piece.style.animationDuration = `${3 + (number % 7) / 2}s`;
    piece.style.animationDelay = `${(number % 11) / 4}s`;
    return piece;
  }));
}

function show(state) {
  document.body.dataset.phase = state.phase;
  if (byId("title").textContent !== state.title) openRules(state.seats.length);
  byId("title").textContent = state.title;
  byId("facts").replaceChildren(...state.facts.map((fact) => element("li", "", fact)));
  byId("todo").textContent = state.todo;
  byId("choices").textContent = state.choices.join(" · ");
  byId("wrong").textContent = state.wrong || (state.rolling ? words.rolling : "");
  byId("happened").textContent = state.happened.join(". ");
  byId("paused").hidden = !state.paused;
  byId("menu").hidden = !state.menu;
  byId("panel").textContent = state.panel.join("\n");
  byId("troubles").replaceChildren(...state.troubles.map((trouble) =>
    element("p", "", `${trouble.part}: ${trouble.what.replace(/\.$/, "")}: ${trouble.remedy}`)));
  byId("rule-list").replaceChildren(...state.rules.map((rule) => element("li", "", rule)));
  byId("last-winners").hidden = state.winners.length === 0;
  byId("last-winners").querySelector("strong").textContent = state.winners.join(", ");
  showSeats(state.seats);
  showLast(state.throws[0]);
  showThrows(state.throws);
  tell([state.todo, state.wrong, ...state.happened].filter(Boolean).join(". "));
  if (state.phase === "over" && shownPhase && shownPhase !== "over") celebrate();
  if (state.phase !== "over") byId("confetti").replaceChildren();
  shownPhase = state.phase;
  document.body.dataset.revision = state.revision;
}

function tell(text) {
  if (byId("live").textContent !== text) byId("live").textContent = text;
}

function linked(how, text) {
  document.body.dataset.link = how;
  byId("link").textContent = text;
  if (text) tell(text);
}

function heard() {
  retryMs = FIRST_RETRY_MS;
  clearTimeout(silence);
  silence = setTimeout(again, SILENCE_MS);
}

function again() {
  clearTimeout(silence);
  if (source) source.close();
  source = null;
  linked("stale", shownPhase ? words.stale : words.connecting);
  setTimeout(connect, retryMs);
  retryMs = Math.min(2 * retryMs, LAST_RETRY_MS);
}

function connect() {
  source = new EventSource("/events");
  silence = setTimeout(again, SILENCE_MS);
  source.addEventListener("state", (event) => { heard(); show(JSON.parse(event.data)); linked("live", ""); });
  source.addEventListener("away", () => { heard(); linked("stale", words.away); });
  source.addEventListener("message", (event) => { heard(); message(JSON.parse(event.data).text); });
  source.addEventListener("alive", heard);
  source.onerror = again;
}

function message(text) {
  byId("message").textContent = text;
  byId("message").hidden = !text;
}

function turnGames() {
  const games = [...document.querySelectorAll(".game")];
  const at = games.findIndex((game) => game.classList.contains("shown"));
  games.forEach((game, number) => game.classList.toggle("shown", number === (at + 1) % games.length));
}

turnGames();
setInterval(turnGames, GAME_MS);
connect();
