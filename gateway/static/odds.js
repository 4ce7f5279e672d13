// The exact chances of what may come next, in small print by the prompt.
import { byId, putWhole } from "./dice.js";

const MOST = 3;
export const chance = byId("chance"); // phones move it, and may take it out of the page with what it stood in
let shown = "";
/** @type {string[]} */
let parts = [];

// What is left out depends on the room, and there is none to measure while the line is hidden.
new ResizeObserver(() => requestAnimationFrame(() => putWhole(chance, parts))).observe(chance);

// A chance with the language's own decimal mark.
const written = (text) => text.replace(/\d+\.\d/, (number) =>
  Number(number).toLocaleString(document.documentElement.lang, { minimumFractionDigits: 1 }));

// Shows the odds of a new position; `say` translates what they are about. `told` gets the whole answer.
/**
 * @param {Snapshot} snapshot
 * @param {{ say?: (text: string) => string, told?: (answer: any) => void }} options
 */
export async function showOdds({ game, phase, asked, position }, { say = (text) => text, told = () => {} } = {}) {
  const now = JSON.stringify([game, phase, asked, position]);
  if (now === shown) return;
  shown = now;
  const answer = await fetch("/api/odds").then((found) => found.json()).catch(() => null);
  if (now !== shown || !answer) return;
  for (const odds of answer.odds) odds.chance = written(odds.chance);
  parts = answer.odds.slice(0, MOST).map((odds) => `${say(odds.what)}: ${odds.chance}`);
  putWhole(chance, parts);
  told(answer);
}
