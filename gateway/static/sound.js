// Sounds and a caller's voice, made in the page. They start when a guest presses the loudspeaker, and on a
// display by themselves where the browser allows sound without a press.
import { part } from "./stream.js";

const TRIAL_MS = 3000; // shorter: a slow machine stays silent; a browser that wants a press never answers
let audio = null;
let loud = null;
let volume = 0.6;

export const isOn = () => audio !== null && audio.state === "running";

export async function turnOn() {
  audio ??= new AudioContext();
  if (!loud) {
    loud = audio.createGain();
    loud.connect(audio.destination);
  }
  setVolume(volume);
  await audio.resume();
}

// Turns the sound on where the browser needs no press for that; whether it does, it says only by trying.
export async function tryToTurnOn() {
  const trial = new AudioContext();
  const running = await Promise.race([
    trial.resume().then(() => trial.state === "running", () => false),
    new Promise((resolve) => setTimeout(resolve, TRIAL_MS, false)),
  ]);
  await trial.close().catch(() => null);
  if (running) await turnOn();
}

// What has not sounded yet never will.
export async function turnOff() {
  window.speechSynthesis?.cancel();
  loud?.disconnect();
  loud = null;
  if (audio) await audio.suspend();
}

export function setVolume(value) {
  volume = value;
  if (loud) loud.gain.value = value * value;
}

function tone(hertz, at, lasts, kind = "triangle", peak = 0.4, to = hertz) {
  const start = audio.currentTime + at;
  const voice = audio.createOscillator();
  const shape = audio.createGain();
  voice.type = kind;
  voice.frequency.setValueAtTime(hertz, start);
  voice.frequency.exponentialRampToValueAtTime(to, start + lasts);
  shape.gain.setValueAtTime(0.0001, start);
  shape.gain.exponentialRampToValueAtTime(peak, start + 0.015);
  shape.gain.exponentialRampToValueAtTime(0.0001, start + lasts);
  voice.connect(shape).connect(loud);
  voice.start(start);
  voice.stop(start + lasts);
}

function knock(at, lasts = 0.05, hertz = 900 + 900 * Math.random()) {
  const start = audio.currentTime + at;
  const length = Math.round(audio.sampleRate * lasts);
  const buffer = audio.createBuffer(1, length, audio.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let index = 0; index < length; index += 1) {
    samples[index] = 1.2 * (Math.random() * 2 - 1) * (1 - index / length) ** 3;
  }
  const noise = audio.createBufferSource();
  const filter = audio.createBiquadFilter();
  filter.type = "bandpass";
  filter.frequency.value = hertz;
  noise.buffer = buffer;
  noise.connect(filter).connect(loud);
  noise.start(start);
}

const SOUNDS = {
  throw: (after) => [0, 0.07, 0.13, 0.22, 0.28, 0.4].forEach((at) => knock(after + at)),
  turn: (after) => { tone(660, after, 0.25); tone(880, after + 0.12, 0.4); },
  bust: (after) => { tone(300, after, 0.5, "sawtooth", 0.3, 120); tone(220, after + 0.25, 0.7, "sawtooth", 0.3, 70); },
  join: (after) => { knock(after, 0.06, 700); tone(392, after, 0.18, "triangle", 0.35, 784); },
  slam: (after) => { knock(after, 0.18, 240); tone(120, after, 0.45, "triangle", 0.5, 48); },
  drum: (after, { beats = 9, beat_s = 0.055 }) => {
    for (let hit = 0; hit < beats; hit += 1) tone(190, after + hit * beat_s, 0.05, "triangle", 0.2 + (0.18 * hit) / beats, 150);
    tone(150, after + Math.max(0.56, beats * beat_s), 0.3, "triangle", 0.5, 70);
  },
  blast: (after) => {
    knock(after, 0.7, 500);
    tone(200, after, 1.1, "sawtooth", 0.25, 40);
    [784, 1047, 1319].forEach((hertz, step) => tone(hertz, after + 0.25 + step * 0.07, 0.9, "triangle", 0.2));
  },
  win: (after) => [523, 659, 784, 1047].forEach((hertz, step) => tone(hertz, after + step * 0.16, step === 3 ? 1.2 : 0.3)),
};
export const THROW_S = 0.45;

// Whether these are the bar's quiet hours, which may go on past midnight.
export function isQuiet(now = new Date()) {
  const [from, to] = document.body.dataset.quiet.split("-");
  const time = now.toTimeString().slice(0, 5);
  return Boolean(to) && (from <= to ? from <= time && time < to : from <= time || time < to);
}

const own = document.body.dataset.sounds && part(() => import("./own_sounds.js"));

// Plays a sound so many seconds from now; the bar's own if there is one for this event, player or game.
export async function play(name, after = 0, about = {}) {
  if (!isOn() || isQuiet()) return;
  if (own && await (await own).playOwn(audio, loud, name, after, about)) return;
  SOUNDS[name](after, about);
}

// Says it after what is being said; what waits already is dropped for it.
export function say(text) {
  const speech = window.speechSynthesis;
  if (!isOn() || isQuiet() || !speech || !text) return;
  if (speech.pending) speech.cancel();
  const spoken = new SpeechSynthesisUtterance(text);
  spoken.lang = document.documentElement.lang;
  spoken.volume = volume;
  speech.speak(spoken);
}
