// What decides the game now, large.
import { byId, drawn, element, put, putTiles } from "./dice.js";

const COUNT_MS = 700;
const still = matchMedia("(prefers-reduced-motion: reduce)");
let counting = 0;
let shownDice = "";

// Counts from the number that is shown to the new one, if both are whole.
function count(to) {
  cancelAnimationFrame(counting);
  const where = byId("number");
  const from = where.textContent;
  where.dataset.length = to.length;
  if (still.matches || !/^\d+$/.test(from) || !/^\d+$/.test(to) || from === to) return put(where, to);
  const began = performance.now();
  const step = (now) => {
    const part = Math.min(1, (now - began) / COUNT_MS);
    put(where, String(Math.round(Number(from) + (to - from) * (1 - (1 - part) ** 3))));
    if (part < 1) counting = requestAnimationFrame(step);
  };
  counting = requestAnimationFrame(step);
}

/** @param {ShownStage?} stage */
export function showStage(stage) {
  document.body.dataset.staged = stage && (stage.dice.length || stage.beside.length || stage.token || stage.tiles?.length) ? "yes" : "no";
  byId("stage").hidden = !stage || !(stage.number || stage.caption);
  if (!stage) return;
  byId("stage").dataset.seat = stage.colour || "";
  count(stage.number);
  put(byId("caption"), stage.caption);
  put(byId("tokens"), stage.token ? `${stage.tokens} ${stage.token} ${"●".repeat(Math.min(stage.tokens, 20))}` : "");
  byId("beside").replaceChildren(...stage.beside.map(({ number, caption }) => {
    const item = element("li");
    item.append(element("strong", "", number), element("span", "", caption));
    return item;
  }));
  putTiles(stage);
  const dice = JSON.stringify([stage.dice, stage.slots]);
  if (dice === shownDice) return;
  shownDice = dice;
  const empty = Math.max(0, Math.min(24, stage.slots) - stage.dice.length);
  byId("stage-dice").replaceChildren(...drawn(stage.dice), ...Array.from({ length: empty }, () => element("i", "die")));
  const places = stage.dice.length + empty;
  const rows = places < 5 || places <= Math.min(6, stage.slots) ? 1 : places < 9 ? 2 : places < 22 ? 3 : 4;
  byId("stage-dice").dataset.rows = rows;
  byId("stage-dice").style.setProperty("--rows", rows);
  byId("stage-dice").style.setProperty("--columns", Math.ceil(places / rows));
}
