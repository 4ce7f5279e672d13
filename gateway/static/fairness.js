// A test of dice: the counter, how often each face came up, and E after each throw.
import { byId, drawing as svg, put } from "./dice.js";

const WIDE = 400;
const HIGH = 260;
const LEFT = 50;
const BOTTOM = 28;
const TOP = 26;
const LIMIT = Math.log10(20);
const words = JSON.parse(byId("test").dataset.texts);

const label = (x, y, text, anchor = "middle") => svg("text", { x, y, "text-anchor": anchor }, text);

/** @param {Fairness} test */
function faces(test) {
  const total = test.counts.reduce((sum, count) => sum + count, 0);
  const fair = total / test.counts.length;
  const most = Math.max(1, fair, ...test.counts);
  const across = (WIDE - LEFT) / test.counts.length;
  const high = (count) => ((HIGH - BOTTOM - TOP) * count) / most;
  const drawn = test.counts.flatMap((count, at) => {
    const x = LEFT + at * across;
    const bar = { class: "bar", x: x + across * 0.12, y: HIGH - BOTTOM - high(count), width: across * 0.76, height: high(count) };
    const asked = { ...bar, class: "asked", height: high(test.asked[at]) };
    const middle = x + across / 2;
    const few = test.counts.length <= 12;
    const parts = [svg("rect", bar), svg("rect", asked)];
    if (few || at === 0 || at % 5 === 4) parts.push(label(middle, HIGH - 6, String(test.kind === "d100" ? 10 * at : at + 1)));
    if (few) parts.push(label(middle, bar.y - 4, String(count)));
    return parts;
  });
  const y = HIGH - BOTTOM - high(fair);
  drawn.push(svg("line", { class: "limit", x1: LEFT, x2: WIDE, y1: y, y2: y }), label(LEFT - 6, y + 7, fair.toFixed(1), "end"));
  return drawn;
}

/** @param {Fairness} test */
function curve(test) {
  const powers = test.curve.map(([, power]) => power);
  const low = Math.min(-1, ...powers) - 0.1;
  const high = Math.max(LIMIT, ...powers) + 0.2;
  const last = Math.max(1, test.throws);
  const x = (throws) => LEFT + ((WIDE - LEFT - 6) * throws) / last;
  const y = (power) => TOP + ((HIGH - BOTTOM - TOP) * (high - power)) / (high - low);
  const points = test.curve.map(([throws, power]) => `${x(throws).toFixed(1)},${y(power).toFixed(1)}`);
  const line = (kind, power) => svg("line", { class: kind, x1: LEFT, x2: WIDE, y1: y(power), y2: y(power) });
  return [
    line("axis", 0),
    line("limit", LIMIT),
    svg("polyline", { class: "curve", points: points.join(" ") }),
    label(LEFT - 6, y(0) + 7, "1", "end"),
    label(LEFT - 6, y(LIMIT) + 7, "20", "end"),
    label(WIDE - 4, HIGH - 6, String(test.throws), "end"),
    label(LEFT, HIGH - 6, "0"),
  ];
}

// In words; nothing without a test.
/** @param {Fairness?} test */
export function verdict(test) {
  if (!test) return "";
  if (test.verdict === "biased") return words.test_biased.replace("{throw}", test.accused_at);
  if (test.verdict === "disputed") return words.test_disputed;
  if (test.accused_at !== null) return words.test_was.replace("{throw}", test.accused_at);
  const told = test.verdict === "too_few" ? words.test_too_few : test.more ? words.test_none : words.test_enough;
  return test.more ? told.replace("{throws}", test.more.throws).replace("{excess}", test.more.excess_percent) : told;
}

const evidence = (power) => (power > -3 && power < 4 ? Number((10 ** power).toPrecision(2)).toString() : `1e${power.toFixed(0)}`);

// `test` is the field of the snapshot; nothing is shown without one.
/** @param {Fairness?} test */
export function showTest(test) {
  document.body.toggleAttribute("data-test", Boolean(test));
  byId("test").hidden = !test;
  if (!test) return;
  put(byId("test-count"), `${test.dice} ${test.kind}: ${test.throws} ${words.test_throws}`);
  put(byId("test-verdict"), verdict(test));
  byId("test-verdict").classList.toggle("biased", test.verdict === "biased");
  put(byId("test-e"), `${words.test_evidence} ${evidence(test.log10_e)}`);
  byId("test-faces").replaceChildren(...faces(test));
  byId("test-curve").replaceChildren(...curve(test));
}
