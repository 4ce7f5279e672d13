// The picture of the last throw with its dice marked, and the replay of how they rolled.
import { byId, drawing, marksOf } from "./dice.js";
import { part } from "./stream.js";

const LONGEST_GAP_MS = 300;
const LAST_FRAME_MS = 600;
const EDGE = 3; // half the width of a frame's line, in the picture's pixels
const words = document.body.dataset;
const still = matchMedia("(prefers-reduced-motion: reduce)");
let shown = null; // number, said, boxes, motion: what is being shown
let playing = null;
let layout = null; // of the captions, fetched with the first picture

const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function loaded(image, path) {
  return new Promise((resolve, reject) => {
    image.onload = () => resolve(image);
    image.onerror = reject;
    image.src = path;
  });
}

// A frame around each die, and beside it what it shows.
function mark() {
  const picture = [byId("picture").naturalWidth, byId("picture").naturalHeight];
  const [wide, high] = picture;
  const svg = byId("marks");
  svg.setAttribute("viewBox", `0 0 ${wide} ${high}`);
  const frames = shown.boxes.map(([left, top, width, height]) => {
    const [x, y] = [Math.max(EDGE, left * wide - EDGE), Math.max(EDGE, top * high - EDGE)];
    const right = Math.min(wide - EDGE, (left + width) * wide + EDGE);
    const bottom = Math.min(high - EDGE, (top + height) * high + EDGE);
    return [x, y, Math.max(0, right - x), Math.max(0, bottom - y)];
  });
  const texts = frames.map((_, index) => shown.said[index] ?? "");
  const { size, boxes } = layout.captions(texts, frames, picture);
  svg.replaceChildren(...frames.flatMap(([x, y, width, height]) =>
    ["around", "box"].map((name) => drawing("rect", { x, y, width, height, rx: 6, class: name })),
  ), ...frames.flatMap((frame, index) =>
    ["under", "lead"].map((name) => drawing("line", { ...layout.between(frame, boxes[index]), class: name })),
  ), ...boxes.flatMap(([x, y, width, height], index) => [
    drawing("rect", { x, y, width, height, rx: size / 6, class: "tag" }),
    drawing("text", { x: x + width / 2, y: y + size * 0.97, "font-size": size }, texts[index]),
  ]));
}

function rest() {
  playing = null;
  byId("motion").hidden = true;
  byId("replay").textContent = still.matches ? words.replayStill : words.replay;
}

// Plays the frames at the pace at which they were taken. Who wants nothing to move gets them all at once.
async function replay() {
  const mine = (playing = {});
  const { number, motion: { columns, seconds } } = shown;
  const sheet = await loaded(new Image(), `/throws/${number}-motion.jpg`).catch(() => null);
  if (mine !== playing) return;
  if (!sheet) { byId("replay").hidden = true; return rest(); }
  const canvas = byId("motion");
  const brush = canvas.getContext("2d");
  if (still.matches) {
    [canvas.width, canvas.height] = [sheet.naturalWidth, sheet.naturalHeight];
    brush.drawImage(sheet, 0, 0);
    canvas.hidden = false;
    byId("replay").textContent = words.replayEnd;
    return;
  }
  const [wide, high] = [sheet.naturalWidth / columns, sheet.naturalHeight / Math.ceil(seconds.length / columns)];
  [canvas.width, canvas.height] = [wide, high];
  for (let at = 0; at < seconds.length; at += 1) {
    brush.drawImage(sheet, (at % columns) * wide, Math.floor(at / columns) * high, wide, high, 0, 0, wide, high);
    canvas.hidden = false;
    canvas.dataset.frame = at;
    await later(at + 1 < seconds.length ? Math.min(LONGEST_GAP_MS, 1000 * (seconds[at + 1] - seconds[at])) : LAST_FRAME_MS);
    if (mine !== playing) return;
  }
  rest();
}

export function forgetThrow() {
  shown = playing = null;
  hide();
}

// The place of a picture that was shown is kept for the next one.
function hide() {
  byId("seen").hidden = byId("replay").hidden = true;
  byId("marks").replaceChildren();
}

// Shows the picture of a throw. How it rolled is shown once after `first`, a promise; what it showed may be corrected.
export async function showThrow(number, said, first) {
  if (shown && shown.number === number) {
    shown.said = said;
    if (shown.boxes) mark();
    return;
  }
  playing = null;
  hide();
  const mine = (shown = { number, said, motion: null });
  try {
    const picture = loaded(byId("picture"), `/throws/${number}.jpg`);
    const [found, fetched] = await Promise.all([marksOf(number), part(() => import("./captions.js")), picture]);
    layout = fetched;
    if (mine !== shown) return;
    Object.assign(shown, found ?? { boxes: [], motion: null });
  } catch {
    if (mine === shown) forgetThrow();
    return;
  }
  byId("picture").alt = words.pictureAlt;
  mark();
  rest();
  byId("seen").hidden = false;
  byId("seen").parentElement.classList.remove("bare");
  byId("replay").hidden = !shown.motion;
  if (first && shown.motion && !still.matches) {
    await first;
    if (mine === shown && !playing) replay();
  }
}

byId("replay").addEventListener("click", () => (playing ? rest() : replay()));
still.addEventListener("change", rest);
