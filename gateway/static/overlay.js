// Shows each new throw over a stream for a while. The options are those of the address, checked by the gateway.
import { byId, drawn } from "./dice.js";
import { follow } from "./stream.js";

const options = new URLSearchParams(document.body.dataset.options);
const on = (name) => options.get(name) === "on";
const seconds = Number(options.get("seconds"));
const LEAVING_MS = 600; // as long as the animation `leave`
const MOST_SHOWN = 30;
const stage = byId("roll");
let shown = null; // the roll on the screen or shown last
let leaving = 0;

stage.dataset.align = options.get("align");
stage.classList.toggle("still", !on("motion"));
if (options.get("colour")) {
  const [red, green, blue] = options.get("colour").match(/../g).map((part) => parseInt(part, 16));
  const light = 0.3 * red + 0.59 * green + 0.11 * blue > 110;
  document.documentElement.style.setProperty("--die", `#${options.get("colour")}`);
  document.documentElement.style.setProperty("--pip", light ? "#14181f" : "#fff");
}

// The largest dice that fit into a box, in how many columns.
function largest(count, width, height) {
  let best = { side: 0, columns: 1 };
  for (let columns = 1; columns <= count; columns += 1) {
    const side = Math.min(width / (columns + 0.1 * (columns - 1)), height / (Math.ceil(count / columns) * 1.1 - 0.1));
    if (side > best.side) best = { side, columns };
  }
  return best;
}

// Fits the throw into the window, whatever its size: the total stands beside the dice or below them.
function fit() {
  const [wide, high] = [window.innerWidth, window.innerHeight];
  const count = Math.max(1, byId("dice").childElementCount);
  const gap = Math.min(wide, high) * 0.04;
  const beside = wide > 1.3 * high;
  const texts = { who: byId("who").textContent, total: byId("total").textContent, formula: byId("formula").textContent };
  const small = Math.min(high * 0.14, (wide - 2 * gap) / (0.74 * Math.max(6, texts.who.length)), 60);
  const head = texts.who ? small + gap : 0;
  const [roomX, roomY] = [wide - 2 * gap, high - 2 * gap - head];
  const digits = Math.max(2, texts.total.length);
  let large = texts.total ? Math.min(beside ? roomY * 0.7 : roomY * 0.3, (roomX * (beside ? 0.35 : 0.9)) / (0.68 * digits)) : 0;
  const note = Math.min(small, (roomX * (beside ? 0.35 : 1)) / (0.74 * Math.max(1, texts.formula.length)));
  const foot = texts.formula ? note + gap / 2 : 0;
  if (beside) large = Math.min(large, roomY - foot);
  const column = Math.max(large * 0.68 * digits, texts.formula ? note * 0.74 * texts.formula.length : 0);
  const { side, columns } = beside
    ? largest(count, roomX - (large || foot ? column + gap : 0), roomY)
    : largest(count, roomX, roomY - (large || foot ? large + foot + gap : 0));
  stage.classList.toggle("beside", beside);
  const sizes = { gap, small, large, note, side, between: side * 0.1 };
  for (const [name, size] of Object.entries(sizes)) stage.style.setProperty(`--${name}`, `${Math.max(0, size)}px`);
  stage.style.setProperty("--columns", columns);
}

function leave() {
  stage.dataset.state = "out";
  leaving = setTimeout(() => { stage.dataset.state = "hidden"; }, on("motion") ? LEAVING_MS : 0);
}

function show(roll) {
  clearTimeout(leaving);
  stage.className = stage.className.replace(/\b(seat\d|natural\d+)\b/g, "");
  if (roll.colour) stage.classList.add(`seat${roll.colour}`);
  if (roll.natural) stage.classList.add(`natural${roll.natural}`);
  const said = roll.natural ? document.body.getAttribute(`data-natural-${roll.natural}`) : "";
  byId("who").textContent = on("name") ? roll.seat : "";
  byId("total").textContent = on("total") ? String(roll.result ?? roll.total) : "";
  byId("formula").textContent = on("total") ? said || roll.formula || "" : "";
  const dice = roll.dice.slice(0, MOST_SHOWN);
  const figures = drawn(dice);
  figures.forEach((figure, place) => {
    figure.classList.toggle("dropped", !dice[place].kept);
    figure.style.setProperty("--place", Math.min(place, 6));
  });
  byId("dice").replaceChildren(...figures);
  byId("dice").dataset.throw = roll.throw;
  fit();
  stage.dataset.state = "hidden";
  void stage.offsetWidth; // starts the animation again
  stage.dataset.state = "in";
  if (seconds) leaving = setTimeout(leave, 1000 * seconds);
}

const differs = (roll) => !shown || shown.throw !== roll.throw || JSON.stringify(shown.dice) !== JSON.stringify(roll.dice);

// A throw counts once people have decided about it; until then the stream does not show it.
function tell(roll) {
  if (roll.verdict !== "counts" || !differs(roll)) return;
  shown = roll;
  show(roll);
}

// The throw from before the page was opened stays away, unless a throw stays until the next one.
function first(roll) {
  if (shown || !seconds) tell(roll);
  else shown = roll;
}

addEventListener("resize", fit);
follow("/roll", { last: first, roll: tell }, () => {});
fit();
