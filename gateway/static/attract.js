// What a television shows between games: posters of the games and records by turns.
import { byId, element } from "./dice.js";

// The best of all time. On a television they take turns with the posters of the games, some at a time.
const BEST_EVERY_MS = 600000;
const TURN_MS = 16000;
const POSTERS_SHOWN = 5;
let bestAt = -Infinity;
let turn = 0;

// Asks for them now and then; at once where a game was played since.
export async function showBest(isNew = false) {
  const box = byId("best");
  if (isNew) bestAt = -Infinity;
  if (!box || performance.now() - bestAt < BEST_EVERY_MS) return;
  bestAt = performance.now();
  let best = [];
  try {
    const told = await fetch("/api/best", { cache: "no-store" });
    if (told.ok) ({ best } = await told.json());
    else bestAt = -Infinity; // it is still being counted
  } catch { bestAt = -Infinity; }
  if (!best.length) return;
  box.querySelector("ul").replaceChildren(...best.map(({ number, caption, name }) => {
    const item = element("li");
    const figure = element("strong", "", number);
    figure.style.setProperty("--letters", number.length);
    item.append(figure, element("span", "caption", caption), element("span", "name", name));
    return item;
  }));
  box.hidden = false;
}

// A row of posters a turn, the last row filled up, then a record a turn.
function takeTurn() {
  const posters = document.querySelectorAll(".game");
  const records = document.querySelectorAll("#best li");
  const rows = Math.ceil(posters.length / POSTERS_SHOWN);
  turn %= rows + records.length;
  const first = Math.max(0, Math.min(turn * POSTERS_SHOWN, posters.length - POSTERS_SHOWN));
  for (const [at, poster] of posters.entries()) {
    poster.classList.toggle("shown", turn < rows && at >= first && at < first + POSTERS_SHOWN);
  }
  for (const [at, record] of records.entries()) record.classList.toggle("shown", at === turn - rows);
  byId("idle").classList.toggle("records", turn >= rows);
}

setInterval(() => {
  if (document.body.dataset.phase !== "idle" || document.hidden) return;
  turn += 1;
  takeTurn();
  showBest();
}, TURN_MS);

takeTurn();
