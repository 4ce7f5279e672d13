// The table's sentences in the language of this phone, and the choice of that language.
import { byId } from "./dice.js";

const FIELD = /\{(\w+)\}/;
const FIELDS = /\{(\w+)\}/g;
// Fields with nothing between them and the next.
const SHAPES = { rank: "(\\d+)", guess: "(| \\(.*\\))" };
const END = /: |\. |\.$/;
// The same in every language: numbers, dice such as d20:17, signs, and the endings of English ordinals.
const PLAIN = /^(?:d\d+|st|nd|rd|th|x|\P{L})*$/u;
const ENDINGS = { one: "st", two: "nd", few: "rd", other: "th" };
const MOST_KNOWN = 500;
const ordinals = new Intl.PluralRules("en", { type: "ordinal" });
const pairs = Object.entries(JSON.parse(document.body.dataset.translations));
// A sentence may quote the beginning of another: "Void: the d20 is cocked. Take it out, throw again."
const beginnings = pairs.map((pair) => pair.map((text) => text.split(END)[0]))
  .filter(([from]) => /\p{L}{3}/u.test(from.replace(FIELDS, "")));
const exact = new Map(/** @type {[string, string][]} */ ([...beginnings, ...pairs]));
const patterns = [...exact].filter(([from]) => FIELD.test(from)).map(([from, to]) => {
  const parts = from.split(FIELD); // a literal, a field, a literal, …
  const shape = parts.map((part, at) =>
    at % 2 === 0 ? part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") : SHAPES[part] ?? "(.*?)");
  return {
    to,
    fields: parts.filter((_, at) => at % 2 === 1),
    length: from.startsWith("{first}") ? 0 : parts.filter((_, at) => at % 2 === 0).join("").length,
    shape: new RegExp(`^${shape.join("")}$`),
  };
}).sort((a, b) => b.length - a.length); // names that are joined come last: they may be part of any other
let names = new Set();
const known = new Map();

// A seat whose player gave no name is called by its number, as in "Seat 1".
const ofSeats = patterns.filter(({ fields, shape }) => String(fields) === "seat" && shape.source.endsWith("(.*?)$"));
const isNumbered = (name) => ofSeats.some(({ shape }) => /^\d$/.test(shape.exec(name)?.[1] ?? ""));

// Names stay as they are.
export function keepNames(found) {
  const given = found.filter((name) => !names.has(name) && !isNumbered(name));
  if (!given.length) return;
  names = new Set([...names, ...given]);
  known.clear();
}

function filled(to, fields, values) {
  const given = new Map(fields.map((field, at) => [field, values[at]]));
  if (!given.has("ending")) given.set("ending", ENDINGS[ordinals.select(Number(given.get("rank") ?? 0))]);
  return to.replace(FIELDS, (_, field) => given.get(field) ?? "");
}

// A text whose shape is known, if all its fields are names, numbers or known texts themselves.
function shaped(text) {
  for (const { to, fields, shape } of patterns) {
    const values = shape.exec(text)?.slice(1).map(translated);
    if (values?.every((value) => value !== undefined)) return filled(to, fields, values);
  }
  return undefined;
}

// Several sentences, or a heading and a sentence.
function inParts(text) {
  for (const { index } of text.matchAll(/[.?!:] /g)) {
    const first = translated(text.slice(0, index + 1));
    const rest = first === undefined ? undefined : translated(text.slice(index + 2));
    if (rest !== undefined) return `${first} ${rest}`;
  }
  return undefined;
}

function translated(text) {
  if (PLAIN.test(text) || names.has(text)) return text;
  if (!known.has(text)) {
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(text, exact.get(text) ?? shaped(text) ?? inParts(text));
  }
  return known.get(text);
}

// A text of the table in this phone's language; what isn't wholly known stays as the table wrote it.
export function say(text) {
  if (!exact.size) return text;
  return exact.get(text) ?? translated(text) ?? text.split("\n").map((line) => translated(line) ?? line).join("\n");
}

// What a seat is called; a player's name may be a text of the table too.
export const nameOf = (name) => (isNumbered(name) ? say(name) : name);

// The page comes again in the language that was chosen. The phone keeps its seat; `leaving` is called before.
export function chooseLanguage(leaving, failed) {
  byId("language").addEventListener("change", async () => {
    document.cookie = `dicetable_language=${byId("language").value}; path=/phone; max-age=31536000; samesite=strict`;
    const page = await fetch(location.pathname).catch(() => null);
    if (!page?.ok) return failed();
    leaving();
    location.reload();
  });
}
