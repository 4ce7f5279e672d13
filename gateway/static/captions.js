// Where the captions of a picture's dice go.
const AROUND = Array.from({ length: 17 }, (_, at) => at - 8);

// The common length of two stretches; below 0, how far apart they are.
const common = (a, length, b, other) => Math.min(a + length, b + other) - Math.max(a, b);

// The common area of two boxes [left, top, width, height].
function overlap([ax, ay, aw, ah], [bx, by, bw, bh]) {
  return Math.max(0, common(ax, aw, bx, bw)) * Math.max(0, common(ay, ah, by, bh));
}

// The box, moved and cut so that it lies within a picture of this size.
function within([x, y, w, h], wide, high) {
  const [left, top] = [Math.max(0, Math.min(x, wide - w)), Math.max(0, Math.min(y, high - h))];
  return [left, top, Math.min(w, wide), Math.min(h, high)];
}

// The nearest place for a caption of this size that covers no frame and no caption, or else the one that covers least.
function place([x, y, w, h], [wide, high], frames, taken, picture) {
  const [middle, centre] = [x + (w - wide) / 2, y + (h - high) / 2];
  const beside = [y - high, y + h].flatMap((top) => [middle, x, x + w - wide].map((left) => [left, top]));
  beside.push(...[x + w, x - wide].flatMap((left) => [centre, y, y + h - high].map((top) => [left, top])));
  const around = AROUND.flatMap((row) =>
    AROUND.map((column) => [middle + (column * wide) / 4, centre + (row * high) / 2]));
  const cost = (box) => {
    const covered = (boxes) => boxes.reduce((all, other) => all + overlap(box, other), 0);
    const gaps = [common(box[0], wide, x, w), common(box[1], high, y, h)].map((each) => Math.max(0, -each));
    const off = Math.hypot(box[0] - middle, box[1] - centre);
    return 100 * covered(taken) + 10 * covered(frames) + Math.hypot(...gaps) + off / 10;
  };
  return [...beside, ...around]
    .map(([left, top]) => within([left, top, wide, high], ...picture))
    .map((box) => [cost(box), box])
    .reduce((best, each) => (each[0] < best[0] ? each : best))[1];
}

// The width of a caption as a multiple of the size of its letters.
const broad = (text) => 0.5 + 0.66 * text.length;

function placed(texts, frames, picture, size, reserved) {
  /** @type {any[]} */
  const taken = [...reserved];
  for (const [index, frame] of frames.entries()) {
    taken.push(place(frame, [size * broad(texts[index]), size * 1.15], frames, taken, picture));
  }
  const boxes = taken.slice(reserved.length);
  const clear = boxes.every((box, at) =>
    [...frames, ...reserved, ...boxes.slice(0, at)].every((other) => overlap(box, other) < 1));
  return { size, boxes, clear };
}

// The size of the letters and a box for each text: the largest that leaves all dice in sight, or else the smallest.
// `reserved` are boxes in which other words stand.
export function captions(texts, frames, picture, /** @type {any[]} */ reserved = []) {
  const [least, most] = [picture[0] / 40, picture[0] / 16];
  const broadest = Math.max(...texts.map(broad));
  const fits = frames.flatMap(([, , width, height]) => [0.5 * height, (1.6 * width) / broadest]);
  let size = Math.max(picture[0] / 22, Math.min(most, ...fits));
  let found = placed(texts, frames, picture, size, reserved);
  while (!found.clear && size > least) {
    size = Math.max(least, 0.85 * size);
    found = placed(texts, frames, picture, size, reserved);
  }
  return found;
}

// The ends of a line from a frame to its caption.
export function between([ax, ay, aw, ah], [bx, by, bw, bh]) {
  const ends = (a, length, b, other) => {
    if (a + length <= b) return [a + length, b];
    if (b + other <= a) return [a, b + other];
    const middle = (Math.max(a, b) + Math.min(a + length, b + other)) / 2;
    return [middle, middle];
  };
  const [[x1, x2], [y1, y2]] = [ends(ax, aw, bx, bw), ends(ay, ah, by, bh)];
  return { x1, y1, x2, y2 };
}
