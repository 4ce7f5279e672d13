import { ask, byId, change, doing, element, filled, say, texts } from "./common.js";

let last = 0;
let open = null;

const FACES = { d4: 4, d6: 6, d8: 8, d10: 10, d12: 12, d20: 20 };
const values = (kind) => Array.from({ length: FACES[kind] ?? 10 }, (_, index) => (kind === "d100" ? 10 * index : index + 1));

// Asks for what takes seconds in a long ledger, and says so meanwhile.
async function searched(button, path) {
  const told = await doing(button, () => { say(texts.searching); return ask(path); });
  if (told) say("");
  return told;
}

async function list(before = 0) {
  const words = encodeURIComponent(byId("words").value);
  const told = await searched(byId("older"), `/operator/api/ledger?words=${words}&before=${before}`);
  if (!told) return;
  const rows = told.games.map((game) => element("li", {}, element("button", { type: "button", class: "game", onclick: () => show(game) },
    element("strong", { text: game.title }), element("span", { class: "dim", text: `${game.number} · ${game.at} · ${game.state} · ${filled(texts.entries, { n: game.entries })}` }),
    element("span", { text: game.seats.join(", ") }))));
  if (before) byId("games").append(...rows);
  else byId("games").replaceChildren(...(rows.length ? rows : [element("li", { text: texts.no_games })]));
  last = told.games.length ? told.games.at(-1).number : 0;
  byId("older").hidden = !told.more;
  document.body.dataset.listed = String(told.games.length);
}

const looked = (button, path) => doing(button, () => ask(path));

async function show(game, look = searched) {
  open = game;
  const told = await look(null, `/operator/api/ledger?match=${game.number}`);
  if (!told) return;
  byId("list").hidden = true;
  byId("game").hidden = false;
  byId("title").textContent = `${game.title} (${game.number})`;
  byId("back").textContent = texts.back;
  byId("export").textContent = texts.export;
  byId("export").href = `/operator/api/ledger.jsonl?match=${game.number}`;
  byId("entries").replaceChildren(...told.entries.reverse().map((entry) => row(entry, told.newest && game.open)));
}

function row(entry, live) {
  const made = element("li", { "data-entry": entry.number }, element("span", { class: "dim", text: `${entry.number} · ${entry.at.slice(11)} · r${entry.revision}` }), element("span", {}, entry.seat ? element("strong", { text: `${entry.seat}: ` }) : "", entry.text));
  if (entry.corrected) made.append(element("span", { class: "mark", text: filled(texts.was_corrected, { dice: entry.corrected.map(([kind, face]) => `${kind}:${face}`).join(" ") }) }));
  if (entry.picture) {
    const picture = element("img", { alt: filled(texts.picture_of, entry), loading: "lazy", src: `/throws/${entry.number}.jpg` });
    picture.addEventListener("error", () => picture.replaceWith(element("span", { class: "dim", text: texts.no_evidence })));
    made.append(picture);
  }
  if (live && entry.throw) made.append(element("button", { type: "button", text: texts.correct, onclick: () => correct(entry) }));
  return made;
}

function correct(entry) {
  const dice = entry.corrected || entry.dice;
  const boxes = dice.map(([kind, face]) => element("select", { "aria-label": kind, "data-kind": kind },
    ...values(kind).map((value) => element("option", { value, text: `${kind}: ${value}`, selected: value === face }))));
  const waits = element("p", { role: "status" });
  const go = element("button", { type: "button", class: "main", text: texts.correct_go, onclick: send });
  const dialog = element("dialog", {}, element("h2", { text: texts.correct_what }), element("div", { class: "row" }, ...boxes), waits,
    element("div", { class: "row" }, element("button", { type: "button", text: texts.cancel, onclick: () => { dialog.close(); dialog.remove(); } }), go));
  async function send() {
    waits.textContent = texts.correct_waits;
    const body = { revision: entry.revision, dice: boxes.map((box) => [box.dataset.kind, Number(box.value)]) };
    const told = await doing(go, () => change("/operator/api/do/correct", body));
    dialog.close();
    dialog.remove();
    if (told) { await show(open, looked); say(told.done); }
  }
  document.body.append(dialog);
  dialog.showModal();
}

byId("search").addEventListener("submit", (event) => { event.preventDefault(); byId("game").hidden = true; byId("list").hidden = false; list(); });
byId("older").addEventListener("click", () => list(last));
byId("back").addEventListener("click", () => { byId("game").hidden = true; byId("list").hidden = false; list(); });
list();
