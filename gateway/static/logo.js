// A dark logo gets a light plate: on the dark ground nobody would see it.
const SIDE = 48;
const DARK = 0.25; // of full brightness, on the average of what is not transparent
const SEE_THROUGH = 0.05; // the least part that must be transparent: else the logo has a ground of its own

function isDark(logo) {
  const canvas = Object.assign(document.createElement("canvas"), { width: SIDE, height: SIDE });
  const brush = canvas.getContext("2d");
  brush.drawImage(logo, 0, 0, SIDE, SIDE);
  const { data } = brush.getImageData(0, 0, SIDE, SIDE);
  let covered = 0;
  let light = 0;
  for (let at = 0; at < data.length; at += 4) {
    const part = data[at + 3] / 255;
    covered += part;
    light += (part * (0.2126 * data[at] + 0.7152 * data[at + 1] + 0.0722 * data[at + 2])) / 255;
  }
  return covered > 0 && covered < (1 - SEE_THROUGH) * SIDE * SIDE && light / covered < DARK;
}

/** @param {HTMLImageElement} logo */
export async function plate(logo) {
  await logo.decode();
  logo.classList.toggle("plate", isDark(logo));
  logo.dataset.seen = "yes";
}
