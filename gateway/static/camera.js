// The page of the phone that is the camera: films the tray, and sends single pictures to the table.
//
// A picture is made only while fewer than MOST_ON_THE_WAY are being sent, so that on a slow network pictures
// are dropped before they exist, and none waits.
import { stayAwake } from "./wake.js";

const WIDTH = 1280;
const HEIGHT = 720;
const EVERY_MS = 50;
const MOST_BYTES = 400_000;
const MOST_ON_THE_WAY = 2;
const SLOWEST_RATE = 7;
const SETTLED_MS = 3000;
const RETRY_MS = 1000;
const LATE_MS = 3000;
const QUALITIES = [0.85, 0.7, 0.5, 0.3];

const texts = JSON.parse(document.body.dataset.texts);
const video = document.getElementById("seen");
const said = document.getElementById("said");
const start = document.getElementById("start");
const canvas = document.createElement("canvas");
let stream = null;
let onTheWay = 0;
let madeAt = -Infinity;
let making = false;
let quality = 0;
let isCamera = false;
let starting = false;

function say(text) {
  if (said.textContent !== text) said.textContent = text;
}

async function post(path, body, headers) {
  const response = await fetch(`/camera/${path}`, {
    method: "POST", body, headers, cache: "no-store", signal: AbortSignal.timeout(LATE_MS),
  });
  const answer = await response.json().catch(() => ({}));
  return { ok: response.ok, status: response.status, answer };
}

async function pair() {
  const code = location.hash.slice(1);
  try {
    const { ok, answer } = await post("pair", JSON.stringify({ code }), { "content-type": "application/json" });
    if (!ok) {
      say(answer.error ?? texts.network);
      offer(texts.again);
      return false;
    }
  } catch {
    say(texts.network);
    setTimeout(begin, RETRY_MS);
    return false;
  }
  history.replaceState(null, "", location.pathname);
  return true;
}

function offer(text) {
  start.textContent = text;
  start.hidden = false;
}

async function begin() {
  start.hidden = true;
  isCamera ||= await pair();
  if (isCamera) await film();
}

async function film() {
  if (starting || document.hidden) return;
  starting = true;
  try {
    if (!navigator.mediaDevices) throw new DOMException("", "NotFoundError");
    stream?.getTracks().forEach((track) => track.stop());
    stream = await navigator.mediaDevices.getUserMedia({
      audio: false,
      video: {
        facingMode: { ideal: "environment" },
        width: { ideal: WIDTH },
        height: { ideal: HEIGHT },
        frameRate: { ideal: 30, max: 30 },
      },
    });
    const [track] = stream.getVideoTracks();
    track.addEventListener("ended", interrupted);
    video.srcObject = stream;
    await video.play();
    setTimeout(() => lock(track), SETTLED_MS);
    stayAwake(true);
    follow();
  } catch (error) {
    say(error.name === "NotAllowedError" ? texts.refused : texts.no_camera);
    offer(texts.again);
  } finally {
    starting = false;
  }
}

function interrupted() {
  say(texts.ended);
  setTimeout(film, RETRY_MS);
}

// Holds focus, exposure and white balance where they have settled, as far as this phone allows it.
async function lock(track) {
  const can = track.getCapabilities?.() ?? {};
  const now = track.getSettings();
  const held = {};
  for (const [mode, value] of [
    ["focusMode", "focusDistance"], ["exposureMode", "exposureTime"], ["whiteBalanceMode", "colorTemperature"],
  ]) {
    if (can[mode]?.includes("manual")) {
      held[mode] = "manual";
      if (now[value] !== undefined) held[value] = now[value];
    }
  }
  const locked = "focusMode" in held && "exposureMode" in held
    && await track.applyConstraints({ advanced: [held] }).then(() => true, () => false);
  document.getElementById("locks").textContent = locked ? texts.locked : texts.unlocked;
}

// Calls `take` for each frame of the video, with the time at which it was taken where the browser knows it.
function follow() {
  const own = stream;
  if (video.requestVideoFrameCallback) {
    const each = (now, about) => {
      if (stream !== own) return;
      take(about.captureTime ?? now);
      video.requestVideoFrameCallback(each);
    };
    video.requestVideoFrameCallback(each);
    return;
  }
  const timer = setInterval(() => (stream === own ? take(performance.now()) : clearInterval(timer)), EVERY_MS);
}

async function take(takenAt) {
  const now = performance.now();
  if (making || onTheWay >= MOST_ON_THE_WAY || now - madeAt < EVERY_MS - 4 || !video.videoWidth) return;
  making = true;
  madeAt = now;
  try {
    const scale = Math.min(1, WIDTH / Math.max(video.videoWidth, video.videoHeight));
    canvas.width = Math.round(video.videoWidth * scale);
    canvas.height = Math.round(video.videoHeight * scale);
    canvas.getContext("2d").drawImage(video, 0, 0, canvas.width, canvas.height);
    const picture = await new Promise((done) => { canvas.toBlob(done, "image/jpeg", QUALITIES[quality]); });
    if (picture && picture.size <= MOST_BYTES) send(picture, takenAt);
    else quality = Math.min(quality + 1, QUALITIES.length - 1);
  } finally {
    making = false;
  }
}

async function send(picture, takenAt) {
  onTheWay += 1;
  try {
    const { ok, status, answer } = await post("frame", picture, {
      "content-type": "image/jpeg", "x-taken-ms": String(performance.timeOrigin + takenAt),
    });
    if (ok) report(answer);
    else if (status !== 429) lost(status, answer.error);
  } catch {
    say(texts.network);
  } finally {
    onTheWay -= 1;
  }
}

function report({ rate, table, refused }) {
  if (!table) say(texts.table_away);
  else if (refused > 20) say(texts.damaged);
  else say((rate < SLOWEST_RATE ? texts.slow : texts.running).replace("{rate}", Math.round(rate)));
}

function lost(status, error) {
  say(error ?? texts.network);
  if (status !== 401) return;
  isCamera = false;
  stream?.getTracks().forEach((track) => track.stop());
  stream = null;
  offer(texts.again);
}

start.addEventListener("click", begin);
addEventListener("hashchange", begin);
addEventListener("pagehide", () => { if (isCamera) navigator.sendBeacon("/camera/leave"); });
document.addEventListener("visibilitychange", () => {
  if (document.hidden || !isCamera) return;
  const [track] = stream?.getVideoTracks() ?? [];
  stayAwake(true);
  if (track?.readyState !== "live" || video.paused) film();
});
begin();
