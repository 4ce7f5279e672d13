// House rules: options of a game under a name. All of them are saved together, in the config.
import { ask, byId, change, doing, element, filled, patiently, say, texts } from "./common.js";
import { offerRestart } from "./restart.js";

const SETTING = "games.house_rules";
let version = "";
let file = "";
let games = [];
let options = {};

const field = (label, input) => element("label", { class: "field" }, element("span", { text: label }), input);

function optionField({ name, label, least, default: own }, value) {
  return field(label, element("input", { type: "number", min: least, step: 1, "data-at": `options.${name}`, "data-option": name, value, placeholder: own ?? "" }));
}

// One set of house rules; options that have no field here stay as they are.
function card(rules) {
  const game = element("select", { "data-at": "game" },
    ...(games.some(({ name }) => name === rules.game) ? games : [...games, { name: rules.game, title: rules.game }])
      .map(({ name, title }) => element("option", { value: name, text: title, selected: name === rules.game })));
  const fields = element("div", { class: "fields", "data-at": "options" });
  const fill = (given) => fields.replaceChildren(...(options[game.value] || []).map((each) => optionField(each, given[each.name])));
  const made = element("section", { class: "rules" },
    field(texts.rules_name, element("input", { "data-at": "name", maxlength: 40, value: rules.name, required: true })), field(texts.rules_game, game), fields,
    element("div", { class: "row" }, element("button", { type: "button", class: "danger", text: texts.rules_delete, onclick: () => { made.remove(); mark([]); } })));
  game.addEventListener("change", () => { fill({}); mark([]); });
  made.addEventListener("input", () => mark([]));
  fill(rules.options);
  made.read = () => {
    const shown = new Set((options[game.value] || []).map(({ name }) => name));
    const kept = game.value === rules.game ? Object.entries(rules.options).filter(([name]) => !shown.has(name)) : [];
    const given = [...fields.querySelectorAll("input")].filter(({ value }) => value).map((each) => [each.dataset.option, Number(each.value)]);
    return { name: made.querySelector('[data-at="name"]').value.trim(), game: game.value, options: Object.fromEntries([...kept, ...given]) };
  };
  return made;
}

// Each mistake stands below its field; one that has none here stands below the buttons.
function mark(mistakes) {
  document.querySelectorAll(".at-field").forEach((each) => each.remove());
  document.querySelectorAll("[aria-invalid]").forEach((each) => each.removeAttribute("aria-invalid"));
  const cards = [...document.querySelectorAll(".rules")];
  const others = mistakes.filter(({ where, text }) => {
    const [, number, at] = /^games\.house_rules\.(\d+)\.(.+)$/.exec(where) || [];
    const place = cards[number]?.querySelector(`[data-at="${CSS.escape(at)}"]`) ?? cards[number]?.querySelector('[data-at="options"]');
    if (!place) return true;
    place.setAttribute("aria-invalid", "true");
    place.after(element("p", { class: "at-field", text: text.replace(`${where}: `, "") }));
    return false;
  });
  byId("mistakes").replaceChildren(...others.map(({ text }) => element("li", { text })));
}

async function load() {
  const told = await patiently("/operator/api/settings");
  if (told.mistakes || told.error) { say(told.error || told.mistakes.map(({ text }) => text).join(" "), true); return; }
  ({ version, file } = told);
  [{ games }, { options }] = await Promise.all([ask("/operator/api/overview"), ask("/operator/api/seats")]);
  const known = told.tables.flatMap(({ fields }) => fields).find(({ key }) => key === SETTING).value || [];
  byId("rules").replaceChildren(...(known.length ? known.map(card) : [element("p", { class: "dim", text: texts.rules_none })]));
  document.body.dataset.loaded = "yes";
}

byId("add").addEventListener("click", () => {
  if (!document.querySelector(".rules")) byId("rules").replaceChildren();
  const made = card({ name: "", game: games[0].name, options: {} });
  byId("rules").append(made);
  made.querySelector("input").focus();
});
byId("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const rules = [...document.querySelectorAll(".rules")].map((each) => each.read());
  const saved = await doing(byId("save"), () => change("/operator/api/settings/save", { changes: { [SETTING]: rules.length ? rules : null }, version }));
  if (!saved) return;
  mark(saved.mistakes || []);
  if (saved.error) say(saved.error, true);
  if (saved.error || saved.mistakes.length) return;
  await load();
  say(filled(texts.saved, { file }));
  offerRestart(byId("restart"));
});

load();
