// What happened just now owns the screen for a moment: dice land as they lie on the felt, then what came of them.
import { byId, drawn, element, marksOf, sentences } from "./dice.js";
import { play } from "./sound.js";

const MOMENT_MS = 1000 * Number(document.body.dataset.pause);
const MARKS_MS = 1000; // longest wait for where the dice lie
const LARGEST = 2.6; // dice are drawn this many times as large as they lie there, if there is room
const COUNT_MS = 600;
const BEAT_MS = 220;
const LONGEST_COUNT_MS = 4000;
const CHIPS = 10;
const SPARKS = 36;
const HOLD_MS = 0.6 * MOMENT_MS; // how long a film stands still at its end
const FACES = /[\u2680-\u2685]/; // the signs of the faces of a d6
const ROOM = [0.94, 0.66]; // the largest part of the screen's width and height that large letters take
const still = matchMedia("(prefers-reduced-motion: reduce)");
const waiting = [];
let showing = 0;
let after = () => {};

const [style, grounds] = ["moments", "grounds"].map((name) =>
  Object.assign(document.createElement("link"), { rel: "stylesheet", href: `/static/${name}.css` }));
document.head.append(grounds, style);
style.addEventListener("load", () => document.fonts.load("1em Anton"));

// The middle and the size of each die as parts of the felt's width; a row where the camera can't tell.
function places(thrown, found) {
  const count = thrown.dice.length;
  if (found?.boxes.length !== count) {
    const most = Math.max(8, Math.ceil(Math.sqrt(2 * count))); // in a row, so that all rows lie on the felt
    const columns = Math.min(count, Math.ceil(count / Math.ceil(count / most)));
    const rows = Math.ceil(count / columns);
    const size = Math.min(0.24, 0.8 / columns, 0.4 / rows);
    return thrown.dice.map((_, at) => [
      0.5 + ((at % columns) - (columns - 1) / 2) * size * 1.2,
      0.28 + (Math.floor(at / columns) - (rows - 1) / 2) * size * 1.2, size]);
  }
  const lying = found.boxes.map(([left, top, width, height]) =>
    [left + width / 2, (9 / 16) * (top + height / 2), Math.max(width, (9 / 16) * height)]);
  const gaps = lying.flatMap(([x, y, size], at) =>
    lying.slice(0, at).map(([u, v]) => Math.max(Math.abs(x - u), Math.abs(y - v)) / size));
  const scale = Math.max(1, Math.min(LARGEST, ...gaps));
  return lying.map(([x, y, size]) => {
    const room = 0.5 * scale * size; // the whole die lies on the felt
    return [Math.min(1 - room, Math.max(room, x)), Math.min(9 / 16 - room, Math.max(room, y)), scale * size];
  });
}

// The colour of the tray: what most of the picture shows.
async function feltOf(number) {
  const image = Object.assign(new Image(), { src: `/throws/${number}.jpg` });
  await image.decode();
  const brush = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d");
  brush.drawImage(image, 0.25 * image.width, 0.25 * image.height, 0.5 * image.width, 0.5 * image.height, 0, 0, 1, 1);
  return `rgb(${brush.getImageData(0, 0, 1, 1).data.slice(0, 3).join(" ")})`;
}

// The roll as the camera saw it, full screen; whoever wants nothing to move sees where it ended.
async function replay(moment, found, felt) {
  const { thrown } = moment;
  const films = await import("./film.js").catch(() => null);
  if (!films) return false; // dice are drawn
  const { loadFilm, paint, roll, HIGH, WIDE } = films;
  const film = await loadFilm(thrown, found.film);
  if (!film || !felt.isConnected) return Boolean(film);
  const canvas = Object.assign(document.createElement("canvas"), { width: WIDE, height: HIGH });
  const box = byId("moment");
  felt.replaceWith(canvas);
  const who = box.querySelector(".who");
  who.replaceWith(who.cloneNode(true)); // it stands elsewhere over a film
  box.classList.add("film");
  clearTimeout(showing);
  if (still.matches) {
    paint(canvas.getContext("2d"), film, Infinity);
    showing = setTimeout(next, MOMENT_MS);
    return true;
  }
  box.classList.add("rolls");
  showing = setTimeout(next, film.ms + HOLD_MS + 300);
  roll(canvas, film).then(() => box.classList.remove("rolls"));
  return true;
}

async function land(moment, felt) {
  const { thrown } = moment;
  const late = new Promise((resolve) => setTimeout(resolve, MARKS_MS, null));
  const found = thrown.picture ? await Promise.race([marksOf(thrown.number), late]) : null;
  if (found?.film && await replay(moment, found, felt)) return;
  if (thrown.picture) feltOf(thrown.number).then((colour) => felt.style.setProperty("--felt", colour), () => {});
  const spots = places(thrown, found);
  felt.replaceChildren(...drawn(thrown.dice).map((die, at) => {
    const [x, y, size] = spots[at];
    const box = element("span", "spot");
    box.append(die);
    Object.assign(box.style, { left: `${100 * x}%`, top: `${(1600 / 9) * y}%`, width: `${100 * size}%`,
      animationDelay: `${0.12 * at}s` });
    return box;
  }));
}

// Counts a number of a node's text up, as the dice land.
function countUp(where, text, number) {
  const began = performance.now();
  const step = (now) => {
    const part = Math.min(1, (now - began) / COUNT_MS);
    where.textContent = text.replace(new RegExp(`\\b${number}\\b`), String(Math.round(number * part)));
    if (part < 1 && where.isConnected) requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

function ofThrow(moment) {
  const { thrown, caption, number } = moment;
  const heading = element("p", "who", thrown.seat);
  const felt = element("div", "felt");
  const what = element("p", "what", sentences(caption));
  land(moment, felt);
  if (number && !still.matches) countUp(what, what.textContent, number);
  return [heading, felt, what];
}

// The text with each sign of a face as a die, to read from the bar.
function lettered(text) {
  const large = element("p", "large");
  large.append(...text.split(/(?=[\u2680-\u2685])|(?<=[\u2680-\u2685])/).flatMap((part) =>
    (FACES.test(part) ? drawn([{ kind: "d6", value: part.codePointAt(0) - 0x267F }]) : [part])));
  return large;
}

// As large as the screen allows.
function fit(large) {
  const [wide, high] = [large.offsetWidth / innerWidth, large.offsetHeight / innerHeight];
  const size = parseFloat(getComputedStyle(large).fontSize);
  if (wide) large.style.fontSize = `${size * Math.min(ROOM[0] / wide, ROOM[1] / high)}px`;
}

function sparks() {
  return Array.from({ length: SPARKS }, (_, at) => {
    const spark = element("i", "spark");
    spark.style.setProperty("--angle", `${(360 * at) / SPARKS + (at % 3) * 4}deg`);
    spark.style.setProperty("--far", `${40 + (at * 37) % 45}vmax`);
    return spark;
  });
}

// Dice that are counted for a claim, which stays in view: one after the other lights up, a beat of the drum each.
function ofCount({ of, dice }) {
  const counted = element("div", "counted");
  const rows = Math.ceil(dice.length / Math.ceil(Math.sqrt(dice.length * (innerWidth / innerHeight) * 2.2)));
  counted.style.setProperty("--rows", String(rows));
  counted.style.setProperty("--columns", String(Math.ceil(dice.length / rows)));
  counted.append(...drawn(dice).map((die, at) => {
    die.classList.add(dice[at].counts ? "counts" : "not");
    return die;
  }));
  const number = element("p", "number", "0");
  const lit = [...counted.querySelectorAll(".counts")];
  const light = (count) => {
    number.textContent = String(count);
    lit.slice(0, count).forEach((die) => die.classList.add("lit"));
  };
  if (still.matches) light(lit.length);
  else lit.forEach((_, at) => setTimeout(light, beatOf(lit.length) * (at + 1), at + 1));
  return [element("p", "who shape", sentences([of])), number, counted];
}

// How long one beat of a count takes, in milliseconds.
const beatOf = (count) => Math.min(BEAT_MS, LONGEST_COUNT_MS / Math.max(1, count));

// Letters that begin with a count: it goes up with a drum.
const COUNT = /^\d+(?!\S)/;

function ofWords({ text, caption, best, colour }) {
  const large = lettered(text);
  const [count] = COUNT.exec(text) ?? [];
  if (count && !still.matches) countUp(large.firstChild, large.firstChild.textContent, count);
  const chips = /\+\d/.test(text) ? Array.from({ length: CHIPS }, (_, at) => {
    const chip = element("i", "chip");
    Object.assign(chip.style, { left: `${8 + (84 * at) / (CHIPS - 1)}%`, animationDelay: `${(at * 7 % CHIPS) / 20}s` });
    return chip;
  }) : [];
  return [large, element("p", colour ? "what shape" : "what", sentences([caption])), ...chips, ...(best ? sparks() : [])];
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
  if (moment.dice?.length) {
    const beats = moment.dice.filter(({ counts }) => counts).length;
    box.className = "count";
    box.replaceChildren(...ofCount(moment));
    clearTimeout(showing);
    showing = setTimeout(next, MOMENT_MS + (still.matches ? 0 : beats * beatOf(beats)));
    return play("drum", 0, { ...moment, beats, beat_s: beatOf(beats) / 1000 });
  }
  box.className = moment.thrown ? "" : moment.best ? "words best" : "words";
  box.replaceChildren(...(moment.thrown ? ofThrow(moment) : ofWords(moment)));
  if (moment.thrown) return;
  fit(box.querySelector(".large"));
  play(moment.best ? "blast" : COUNT.test(moment.text) ? "drum" : "slam", 0, moment);
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

// A game was won.
export function celebrate() {
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
