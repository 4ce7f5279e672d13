// The camera's own frames of a throw in slow motion: each die gets its value as it stops, and the total counts up.
import { between, captions } from "./captions.js";

export const WIDE = 1920;
export const HIGH = 1080;
const SLOW = 3; // times slower than it was
const LONGEST_MS = 3000;
const LONGEST_GAP_S = 0.15; // nothing moved while no frame was kept
const FADE_MS = 300;
const STAMP_MS = 220;
const LOAD_MS = 3000; // longest wait for the frames
const EDGE = 6;
const INK = "#14181f";
// Where the thrower's name, the total and what came of the throw stand: left, top, width and height.
const WORDS = [[0, 0, 480, 150], [WIDE - 480, 30, 450, 220], [90, HIGH - 170, WIDE - 180, 170]];

const loaded = (path) => new Promise((resolve) => {
  const image = new Image();
  image.onload = () => resolve(image);
  image.onerror = () => resolve(null);
  image.src = path;
  setTimeout(resolve, LOAD_MS, null);
});

// The film of a throw; `marks` are those of the film. Null if it can't be had.
/** @param {ShownThrow} thrown @param {any} marks */
export async function loadFilm(thrown, marks) {
  const { number, dice } = thrown;
  const values = dice.map(({ value }) => value);
  const image = await loaded(`/throws/${number}-film.jpg`);
  if (!image) return null;
  const { columns, seconds, boxes, stops } = marks;
  const times = [0];
  for (const [at, second] of seconds.slice(1).entries()) {
    times.push(times.at(-1) + 1000 * SLOW * Math.min(LONGEST_GAP_S, second - seconds[at]));
  }
  const faster = Math.min(1, LONGEST_MS / times.at(-1));
  const frames = boxes.map(([x, y, w, h]) => [WIDE * x, HIGH * y, WIDE * w, HIGH * h]);
  const texts = values.map(String);
  return {
    image, columns, frames, stops, values, texts, addsUp: marks.adds_up, times: times.map((time) => faster * time),
    ms: faster * times.at(-1), layout: captions(texts, frames, [WIDE, HIGH], WORDS),
  };
}

// The frame around a die and its value, which grows to its size.
function stamp(brush, film, at, part) {
  const [x, y, w, h] = film.frames[at];
  const { size, boxes } = film.layout;
  const [left, top, wide, high] = boxes[at];
  const { x1, y1, x2, y2 } = between(film.frames[at], boxes[at]);
  brush.save();
  brush.globalAlpha = part;
  brush.lineWidth = EDGE;
  brush.strokeStyle = brush.fillStyle = "#ffd166";
  brush.strokeRect(x, y, w, h);
  brush.beginPath();
  brush.moveTo(x1, y1);
  brush.lineTo(x2, y2);
  brush.stroke();
  brush.translate(left + wide / 2, top + high / 2);
  brush.scale(2 - part, 2 - part);
  brush.fillRect(-wide / 2, -high / 2, wide, high);
  brush.fillStyle = INK;
  brush.font = `400 ${size}px Anton, Impact, sans-serif`;
  brush.textAlign = "center";
  brush.fillText(film.texts[at], 0, size * 0.38);
  brush.restore();
}

// Large letters that stand out from any picture.
export function write(brush, text, x, y, size, colour, align) {
  brush.font = `400 ${size}px Anton, Impact, sans-serif`;
  brush.textAlign = align;
  brush.lineJoin = "round";
  brush.lineWidth = size / 7;
  brush.strokeStyle = INK;
  brush.strokeText(text, x, y);
  brush.fillStyle = colour;
  brush.fillText(text, x, y);
}

// The film as it looks after so many milliseconds; at Infinity the dice lie still.
export function paint(brush, film, ms) {
  const { image, columns, times, stops, values } = film;
  const wide = image.naturalWidth / columns;
  const high = (wide * HIGH) / WIDE;
  const draw = (alpha, x, y, by = 1) => {
    brush.globalAlpha = alpha;
    brush.drawImage(image, x, y, by * wide, by * high, 0, 0, WIDE, HIGH);
  };
  const cell = (at, alpha) => draw(alpha, (at % columns) * wide, (2 + Math.floor(at / columns)) * high);
  const next = times.findIndex((time) => time > ms);
  if (next > 0) {
    cell(next - 1, 1);
    cell(next, (ms - times[next - 1]) / (times[next] - times[next - 1]));
  } else {
    cell(times.length - 1, 1);
    draw(Math.min(1, (ms - film.ms) / FADE_MS), 0, 0, 2);
  }
  brush.globalAlpha = 1;
  let total = 0;
  for (const [at, stop] of stops.entries()) {
    const since = ms - times[Math.min(stop, times.length - 1)];
    if (since < 0) continue;
    total += values[at];
    stamp(brush, film, at, Math.min(1, since / STAMP_MS));
  }
  if (film.addsUp && total) write(brush, String(total), WIDE - 60, 230, 210, "#ffd166", "right");
}

// Plays the film from its beginning, and is done when it has ended; `painted` may add to each picture.
export function roll(canvas, film, painted = /** @type {(brush: any) => void} */ (() => {}), { wide = WIDE, holdMs = 0 } = {}) {
  [canvas.width, canvas.height] = [wide, (wide * HIGH) / WIDE];
  const brush = canvas.getContext("2d");
  brush.scale(wide / WIDE, wide / WIDE);
  const began = performance.now();
  return new Promise((resolve) => {
    const step = () => {
      const ms = performance.now() - began;
      paint(brush, film, ms);
      painted(brush);
      if (ms < film.ms + FADE_MS + holdMs) requestAnimationFrame(step);
      else resolve();
    };
    step();
  });
}
