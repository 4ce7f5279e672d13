// What happened just now owns the screen for a moment: dice land as they lie on the felt, then what came of them.
import { byId, drawn, element, sentences } from "./dice.js";

const MOMENT_MS = 1000 * Number(document.body.dataset.pause);
const MARKS_MS = 250; // longest wait for where the dice lie
const LARGEST = 2.6; // dice are drawn this many times as large as they lie there, if there is room
const COUNT_MS = 600;
const CHIPS = 10;
const still = matchMedia("(prefers-reduced-motion: reduce)");
const waiting = [];
let showing = 0;
let after = () => {};

const style = Object.assign(document.createElement("link"), { rel: "stylesheet", href: "/static/moments.css" });
document.head.append(style);

// The middle and the size of each die as parts of the felt's width; a row where the camera can't tell.
async function places(thrown) {
  const count = thrown.dice.length;
  const found = thrown.picture ? await Promise.race([
    fetch(`/throws/${thrown.number}.json`).then((answer) => (answer.ok ? answer.json() : null)).catch(() => null),
    new Promise((resolve) => setTimeout(resolve, MARKS_MS)),
  ]) : null;
  if (found?.boxes.length !== count) {
    const columns = Math.min(count, Math.ceil(count / Math.ceil(count / 8)));
    const size = Math.min(0.15, 0.8 / columns);
    return thrown.dice.map((_, at) => [
      0.5 + ((at % columns) - (columns - 1) / 2) * size * 1.2,
      0.28 + (Math.floor(at / columns) - (Math.ceil(count / columns) - 1) / 2) * size * 1.2, size]);
  }
  const lying = found.boxes.map(([left, top, width, height]) =>
    [left + width / 2, (9 / 16) * (top + height / 2), Math.max(width, (9 / 16) * height)]);
  const gaps = lying.flatMap(([x, y, size], at) =>
    lying.slice(0, at).map(([u, v]) => Math.max(Math.abs(x - u), Math.abs(y - v)) / size));
  const scale = Math.max(1, Math.min(LARGEST, ...gaps));
  return lying.map(([x, y, size]) => [Math.min(0.97, Math.max(0.03, x)), y, scale * size]);
}

async function land(thrown, felt) {
  const spots = await places(thrown);
  felt.replaceChildren(...drawn(thrown.dice).map((die, at) => {
    const [x, y, size] = spots[at];
    const box = element("span", "spot");
    box.append(die);
    Object.assign(box.style, { left: `${100 * x}%`, top: `${(1600 / 9) * y}%`, width: `${100 * size}%`,
      animationDelay: `${0.12 * at}s` });
    return box;
  }));
}

// Counts a number of the text up, as the dice land.
function countUp(where, text, number) {
  const began = performance.now();
  const step = (now) => {
    const part = Math.min(1, (now - began) / COUNT_MS);
    where.textContent = text.replace(new RegExp(`\\b${number}\\b`), String(Math.round(number * part)));
    if (part < 1 && where.isConnected) requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

function ofThrow({ thrown, caption, number }) {
  const heading = element("p", "who", thrown.seat);
  const felt = element("div", "felt");
  const what = element("p", "what", sentences(caption));
  land(thrown, felt);
  if (number && !still.matches) countUp(what, what.textContent, number);
  return [heading, felt, what];
}

function ofWords({ text, caption }) {
  const large = element("p", "large", text);
  large.style.fontSize = `min(38vh, ${150 / Math.max(2, text.length)}vw)`;
  const chips = text.startsWith("+") ? Array.from({ length: CHIPS }, (_, at) => {
    const chip = element("i", "chip");
    Object.assign(chip.style, { left: `${8 + (84 * at) / (CHIPS - 1)}%`, animationDelay: `${(at * 7 % CHIPS) / 20}s` });
    return chip;
  }) : [];
  return [large, element("p", "what", sentences([caption])), ...chips];
}

function next() {
  const moment = waiting.shift();
  const box = byId("moment");
  box.hidden = !moment;
  showing = moment ? setTimeout(next, MOMENT_MS) : 0;
  if (!moment) {
    box.replaceChildren();
    return after();
  }
  box.dataset.seat = moment.colour || "";
  box.replaceChildren(...(moment.thrown ? ofThrow(moment) : ofWords(moment)));
}

// Shows each for a while, one after the other, in place of what is shown; `then` comes when the last is over.
export function showMoments(moments, then) {
  clearTimeout(showing);
  waiting.splice(0, waiting.length, ...(MOMENT_MS ? moments : []));
  after = then;
  next();
}

export function endMoments() {
  if (!showing) return;
  clearTimeout(showing);
  waiting.length = 0;
  next();
}
