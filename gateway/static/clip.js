// A throw's film as a clip to share, with the player's name and the bar's. The phone records it as it plays.
import { byId, marksOf, put } from "./dice.js";
import { HIGH, WIDE, loadFilm, roll, write } from "./film.js";

const CLIP_WIDE = 1280;
const BITS_PER_S = 4_000_000; // two and a half megabytes a clip, at most
const HOLD_MS = 1200;
const TYPES = ["video/mp4", "video/webm"];
let offered = 0;

async function record(film, seat, bar) {
  const face = await new FontFace("Anton", "url(/static/anton.woff2)").load();
  document.fonts.add(face);
  const canvas = document.createElement("canvas");
  const chunks = [];
  const recorder = new MediaRecorder(canvas.captureStream(30), {
    mimeType: TYPES.find((type) => MediaRecorder.isTypeSupported(type)), videoBitsPerSecond: BITS_PER_S,
  });
  recorder.ondataavailable = ({ data }) => chunks.push(data);
  const stopped = new Promise((resolve) => { recorder.onstop = resolve; });
  recorder.start();
  await roll(canvas, film, (brush) => {
    write(brush, seat, 60, 150, 110, "#f6f3ea", "left");
    write(brush, bar, WIDE / 2, HIGH - 50, 80, "#ffd166", "center");
  }, { wide: CLIP_WIDE, holdMs: HOLD_MS });
  recorder.stop();
  await stopped;
  return new Blob(chunks, { type: recorder.mimeType.split(";")[0] });
}

async function share(blob, name) {
  const file = new File([blob], `${name}.${blob.type.split("/")[1]}`, { type: blob.type });
  if (navigator.canShare?.({ files: [file] })) return navigator.share({ files: [file] }).catch(() => {});
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: file.name });
  link.click();
  setTimeout(URL.revokeObjectURL, 60000, link.href);
}

// Offers the clip of this throw; none if it is not this phone's own, or has no film.
/** @param {ShownThrow} thrown @param {boolean} own @param {any} words */
export async function offerClip(thrown, own, words) {
  const { number, seat } = thrown;
  if (offered === number) return;
  offered = number;
  const button = byId("share");
  button.hidden = true;
  if (!own || !globalThis.MediaRecorder) return;
  const marks = await marksOf(number);
  if (!marks?.film || offered !== number) return;
  let clip = null;
  button.onclick = async () => {
    if (clip) return share(clip, `${document.title} ${number}`);
    button.disabled = true;
    put(button, words.making_clip);
    const film = await loadFilm(thrown, marks.film);
    clip = film && await record(film, seat, document.title);
    button.disabled = false;
    button.hidden = offered !== number || !clip;
    put(button, words.share_clip);
  };
  put(button, words.make_clip);
  button.disabled = false;
  button.hidden = false;
}
