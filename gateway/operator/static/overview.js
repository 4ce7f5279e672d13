import { ask, byId, change, doing, element, filled, restarted, say, sure, texts, whileSeen } from "./common.js";

let seats = null;
let games = [];

/** @param {{ state: Snapshot, games: any[] }} answer */
function show({ state, games: known }) {
  games = known;
  const play = state.phase === "play";
  byId("phase").textContent = [state.title && state.phase !== "idle" ? `${state.title}:` : "", texts.phase[state.phase] || "",
    state.paused ? texts.paused : "", state.menu ? texts.in_menu : ""].filter(Boolean).join(" ");
  byId("todo").textContent = state.todo;
  byId("seats").replaceChildren(...state.seats.map((seat) => element("li", { class: seat.asked ? "asked" : "" },
    element("strong", { text: seat.name }), ` ${seat.score} `, element("span", { class: "dim", text: seat.standing }))));
  byId("troubles").replaceChildren(...state.troubles.map((each) => element("li", { text: `${each.part}: ${each.what}: ${each.remedy}` })));
  byId("pause").hidden = !play || state.paused;
  byId("resume").hidden = !state.paused;
  byId("end").hidden = !["play", "over"].includes(state.phase);
  byId("start").hidden = play;
  byId("restart").disabled = play;
  byId("restart-waits").hidden = !play;
  list();
}

// Every game, and the house rules beside it.
function list() {
  if (byId("game").options.length || !games.length || !seats) return;
  byId("game").append(...games.flatMap((game) => [element("option", { value: game.name, text: game.title }),
    ...seats.house_rules.filter((rules) => rules.game === game.name).map(({ name }) => element("option", { value: `${game.name}/${name}`, text: name }))]));
  chosen();
}

// What is chosen in the list: the game, and its house rules if there are any.
function choice() {
  const [name, ...rest] = byId("game").value.split("/");
  const named = rest.join("/");
  return { game: games.find((each) => each.name === name), rules: seats.house_rules.find((each) => each.game === name && each.name === named) };
}

function chosen() {
  const { game, rules } = choice();
  byId("players").textContent = game.players;
  byId("options").replaceChildren(...seats.options[game.name].map((option) =>
    element("label", { class: "field" }, element("span", { text: option.label }),
      element("input", { type: "number", min: option.least, max: 999, "data-option": option.name, placeholder: rules?.options[option.name] ?? option.default ?? "" }))));
}

async function names() {
  seats = await ask("/operator/api/seats");
  byId("names").replaceChildren(...seats.seats.map((seat) => element("label", { class: "field" },
    element("span", {}, element("input", { type: "checkbox", "data-seat": seat.seat, checked: seat.plays || seat.seat <= 2, "aria-label": filled(texts.seat, seat) }), ` ${filled(texts.seat, seat)}`),
    element("input", { maxlength: seats.longest, value: seat.name, "data-name": seat.seat, "aria-label": filled(texts.seat, seat) }),
    element("select", { "data-house": seat.seat, "aria-label": `${filled(texts.seat, seat)}: ${texts.house}`, onchange: housed },
      element("option", { value: "", text: texts.person }),
      ...Object.entries(seats.strengths).map(([strength, text]) => element("option", { value: strength, text: `${texts.house}: ${text}` }))))));
  list();
}

// A seat of the house plays, under a name that the table gives it.
function housed({ target }) {
  const seat = target.dataset.house;
  if (target.value) document.querySelector(`[data-seat="${seat}"]`).checked = true;
  document.querySelector(`[data-name="${seat}"]`).disabled = target.value !== "";
}

async function act(button, what, body = {}) {
  const told = await doing(button, () => change(`/operator/api/do/${what}`, body));
  if (told) say(told.done);
  await refresh();
  return told;
}

async function refresh() {
  try { show(await ask("/operator/api/overview")); } catch (error) { byId("phase").textContent = error.message; }
}

byId("game").addEventListener("change", chosen);
byId("pause").addEventListener("click", () => act(byId("pause"), "pause"));
byId("resume").addEventListener("click", () => act(byId("resume"), "resume"));
byId("end").addEventListener("click", async () => { if (await sure(texts.sure_end, texts.yes_end)) act(byId("end"), "end"); });
byId("off").addEventListener("click", async () => { if (await sure(texts.sure_off, texts.yes_off)) act(byId("off"), "off"); });
byId("restart").addEventListener("click", async () => {
  if (!(await sure(texts.sure_restart, texts.yes_restart))) return;
  if (await act(byId("restart"), "restart")) restarted();
});
byId("everywhere").addEventListener("click", async () => {
  if (!(await sure(texts.sure_everywhere, texts.yes_everywhere))) return;
  if (await doing(byId("everywhere"), () => change("/operator/api/logout", { everywhere: true }))) location.assign("/operator");
});
byId("unpair").addEventListener("click", async () => {
  if (!(await sure(texts.sure_unpair, texts.yes_unpair))) return;
  const told = await doing(byId("unpair"), () => change("/operator/api/unpair"));
  if (told) say(told.done);
});
byId("start-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const taken = [...document.querySelectorAll("[data-seat]")].filter((each) => each.checked).map((each) => each.dataset.seat);
  const strength = (seat) => document.querySelector(`[data-house="${seat}"]`).value;
  const house = Object.fromEntries(taken.filter(strength).map((seat) => [seat, strength(seat)]));
  const plays = taken.filter((seat) => !strength(seat));
  const named = Object.fromEntries(plays.map((seat) => [seat, document.querySelector(`[data-name="${seat}"]`).value.trim()]));
  const options = Object.fromEntries([...document.querySelectorAll("[data-option]")].filter((each) => each.value).map((each) => [each.dataset.option, Number(each.value)]));
  const { game, rules } = choice();
  act(event.submitter, "start", { game: game.name, house_rules: rules?.name ?? "", names: named, house, options });
});

await refresh();
await doing(null, names);
ask("/operator/api/set_up").then(({ steps }) => { byId("new").hidden = steps.tray !== false; }, () => {});
whileSeen(1500, refresh);
