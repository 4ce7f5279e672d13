import { ask, byId, change, doing, element, filled, patiently, say, send, texts } from "./common.js";
import { offerRestart } from "./restart.js";

let version = "";
let file = "";
let games = [];
const changes = new Map();

const shown = (value) => value === null || value === undefined ? texts.nothing : Array.isArray(value) ? value.join(", ") || texts.nothing
  : value === true ? texts.on : value === false ? texts.off_choice : typeof value === "object" ? Object.entries(value).map(([name, each]) => `${name} = ${typeof each === "object" ? JSON.stringify(each) : each}`).join("\n") : String(value);

function control(field, id) {
  if (field.type === "tables") return element("output", { id, text: (field.value || []).map(({ name, url }) => name ?? url).join(", ") || texts.nothing });
  const common = { id, "aria-describedby": `${id}-help` };
  const empty = field.default === null || field.default === undefined ? "" : shown(field.default);
  if (field.read_only) return field.type === "map" ? element("pre", { id, text: shown(field.value) }) : element("output", { id, text: shown(field.value ?? field.default) });
  if (field.type === "boolean") return choice(common, [[null, filled(texts.left_out, { value: shown(field.default) })], [true, texts.on], [false, texts.off_choice]], field.value);
  if (field.type === "choice") {
    const first = field.required ? [] : [[null, filled(texts.left_out, { value: shown(field.default) })]];
    return choice(common, [...first, ...field.choices.map((each) => [each, String(each)])], field.value);
  }
  if (field.type === "list") return element("textarea", { ...common, rows: Math.max(2, (field.value || []).length), placeholder: texts.one_a_line }, (field.value || []).join("\n"));
  if (field.type === "integer" || field.type === "number") {
    return element("input", { ...common, type: "number", min: field.least, max: field.most, step: field.type === "integer" ? 1 : "any", value: field.value, placeholder: empty });
  }
  return element("input", { ...common, maxlength: field.most, value: field.value, placeholder: empty });
}

function choice(common, options, now) {
  return element("select", common, ...options.map(([value, text]) => element("option", { value: JSON.stringify(value), text, selected: JSON.stringify(value) === JSON.stringify(now ?? null) })));
}

function valueOf(field, input) {
  if (field.type === "boolean" || field.type === "choice") return JSON.parse(input.value);
  const text = input.value.trim();
  if (field.type === "list") {
    const lines = text.split("\n").map((line) => line.trim()).filter(Boolean);
    return lines.length || field.value ? lines.map((line) => (["integer", "number"].includes(field.items.type) ? Number(line) : line)) : null;
  }
  if (!text) return null;
  return field.type === "integer" || field.type === "number" ? Number(text) : text;
}

// Devices and house rules have pages of their own; all else that is closed is changed on the machine.
function lock(field) {
  if (!field.read_only) return element("p", { class: "dim" }, element("a", { href: "/operator/rules", text: texts.rules_open }));
  if (!field.chosen) return element("p", { class: "dim", text: texts.read_only });
  return element("p", { class: "dim" }, element("a", { href: "/operator/devices", text: texts.choose_device }));
}

// The bar's colour, from a picker; without one the page keeps its own gold.
function colour(field, id) {
  const picker = element("input", { id, type: "color", value: field.value ?? "#ffd166", "aria-describedby": `${id}-help` });
  const own = element("input", { type: "checkbox", checked: Boolean(field.value) });
  const box = element("div", { class: "row" }, picker, element("label", { class: "check" }, own, ` ${texts.own_colour}`));
  picker.addEventListener("input", () => { own.checked = true; });
  return [box, () => (own.checked ? picker.value : null)];
}

// Which games come first, by ticking them; house rules that do are left as they are.
function favourites(field, id) {
  const before = field.value ?? [];
  const boxes = games.map(({ name, title }) => element("label", { class: "check" },
    element("input", { type: "checkbox", value: name, checked: before.includes(name) }), ` ${title}`));
  const ticked = () => boxes.map((each) => each.querySelector("input")).filter((each) => each.checked).map((each) => each.value);
  const others = before.filter((each) => !games.some(({ name }) => name === each));
  const value = () => {
    const now = [...before.filter((each) => ticked().includes(each)), ...ticked().filter((each) => !before.includes(each)), ...others];
    return now.length || field.value ? now : null;
  };
  return [element("div", { id, class: "ticks", role: "group", "aria-labelledby": `${id}-label` }, ...boxes), value];
}

// A setting of the bar: a question in plain words, and what the answers mean.
function question(field) {
  const id = `set-${field.key.replace(".", "-")}`;
  const [label, hint, meanings] = texts.bar[field.key];
  const answers = field.key === "table.language" ? texts.languages : meanings;
  let made;
  let value;
  if (field.key === "screen.colour") [made, value] = colour(field, id);
  else if (field.key === "games.favourites" && games.length) [made, value] = favourites(field, id);
  else {
    made = control(field, id);
    value = () => valueOf(field, made);
    if (answers) made.replaceChildren(...Object.entries(answers).map(([each, text]) => element("option", { value: JSON.stringify(each), text, selected: each === (field.value ?? field.default) })));
  }
  const box = element("div", { class: "setting", "data-key": field.key }, element("label", { for: id, id: `${id}-label`, text: label }), made,
    element("p", { id: `${id}-help`, class: "help", text: hint }));
  box.addEventListener("input", () => changed(field, box, value()));
  return box;
}

// The bar's logo is kept as soon as it is chosen; what is wrong with it stands below it.
function logo(now) {
  const input = element("input", { id: "logo", type: "file", accept: "image/png,image/jpeg,image/webp", "aria-describedby": "logo-help" });
  const picture = element("img", { class: "logo", alt: texts.logo_now });
  const remove = element("button", { type: "button", text: texts.logo_remove });
  const show = ({ shown: there, sent }) => {
    picture.hidden = !there;
    remove.hidden = !sent;
    if (there) picture.src = `/logo?${performance.now()}`;
  };
  const keep = async (sending, done) => {
    mark([]);
    try {
      show(await sending());
      say(done);
    } catch (error) {
      box.append(element("p", { class: "at-field", text: error.message }));
      input.setAttribute("aria-invalid", "true");
    }
    input.value = "";
  };
  input.addEventListener("change", () => {
    const [file] = input.files;
    if (file) keep(() => send("/operator/api/logo", file, file.type || "image/unknown"), texts.logo_sent);
  });
  remove.addEventListener("click", () => keep(() => change("/operator/api/logo/remove"), texts.logo_removed));
  show(now);
  const box = element("div", { class: "setting" }, element("label", { for: "logo", text: texts.logo }), element("div", { class: "row" }, picture, input, remove),
    element("p", { id: "logo-help", class: "help", text: texts.logo_hint }));
  return box;
}

function changed(field, box, value) {
  if (JSON.stringify(value) === JSON.stringify(field.value ?? null)) changes.delete(field.key);
  else changes.set(field.key, value);
  box.classList.toggle("changed", changes.has(field.key));
  byId("change").hidden = true;
  byId("mistakes").replaceChildren();
  mark([]);
}

function row(field) {
  const id = `set-${field.key.replace(".", "-")}`;
  const input = control(field, id);
  const made = element("div", { class: "setting", "data-key": field.key }, element("label", { for: id, text: field.unit ? `${field.name} (${field.unit})` : field.name }), input,
    element("p", { id: `${id}-help`, class: "help", text: field.help }));
  if (field.read_only || field.type === "tables") { made.classList.add("read-only"); made.append(lock(field)); return made; }
  input.addEventListener("input", () => changed(field, made, valueOf(field, input)));
  return made;
}

// Puts each mistake below its field as well, and takes away those from before.
function mark(mistakes) {
  document.querySelectorAll(".at-field").forEach((each) => each.remove());
  document.querySelectorAll("[aria-invalid]").forEach((each) => each.removeAttribute("aria-invalid"));
  for (const { where, text } of mistakes) {
    const key = where.split(".").slice(0, 2).join(".");
    const setting = document.querySelector(`[data-key="${CSS.escape(key)}"]`);
    if (!setting) continue;
    setting.append(element("p", { class: "at-field", text }));
    if (setting.closest("#advanced")) byId("advanced").open = true;
    setting.querySelector("input, select, textarea")?.setAttribute("aria-invalid", "true");
  }
}

async function load() {
  const told = await patiently("/operator/api/settings");
  if (told.mistakes || told.error) { say(told.error || told.mistakes.map((each) => each.text).join(" "), true); return; }
  version = told.version;
  file = told.file;
  changes.clear();
  byId("file").textContent = told.file;
  games = (await ask("/operator/api/overview").catch(() => ({ games: [] }))).games;
  const all = told.tables.flatMap(({ fields }) => fields);
  byId("own").replaceChildren(...Object.keys(texts.bar).flatMap((key) => all.filter((field) => field.key === key)).map(question));
  const about = await ask("/operator/api/logo").catch(() => null);
  if (about) byId("own").children[0].after(logo(about));
  const others = told.tables.map((table) => ({ ...table, fields: table.fields.filter(({ key }) => !(key in texts.bar)) }));
  byId("tables").replaceChildren(...others.filter(({ fields }) => fields.length).map((table) => element("section", { class: "table" }, element("h2", { text: `[${table.name}]` }),
    element("p", { class: "dim", text: table.help }), element("div", { class: "settings" }, ...table.fields.map(row)))));
  document.body.dataset.loaded = "yes";
}

function tell(told) {
  mark(told.mistakes || []);
  byId("mistakes").replaceChildren(...(told.mistakes || []).map((each) => element("li", { text: each.text })), ...(told.error ? [element("li", { text: told.error })] : []));
  byId("change").hidden = !(told.diff && told.diff.length);
  byId("diff").replaceChildren(...(told.diff || []).map((line) => element("span", { class: line[0] === "+" ? "plus" : line[0] === "-" ? "minus" : "", text: `${line}\n` })));
  return !told.error && !(told.mistakes || []).length;
}

async function submit(button, what) {
  byId("restart").hidden = true;
  if (!changes.size) { say(texts.no_changes); return false; }
  const told = await doing(button, () => change(`/operator/api/settings/${what}`, { changes: Object.fromEntries(changes), version }));
  return Boolean(told) && tell(told) && told;
}

byId("check").addEventListener("click", async () => { if (await submit(byId("check"), "check")) say(texts.all_right); });
byId("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const saved = await submit(byId("save"), "save");
  if (!saved) return;
  await load();
  say(filled(texts.saved, { file }));
  offerRestart(byId("restart"));
});

byId("bar").prepend(byId("said")); // where the operator looks when saving, and over no heading
load();
