// The phone page: follows /events, and where phones are the panel a seat chooses here.
import { choiceElements, inGrid } from "./choices.js";
import { forgetClock, gatewayTime, hearClock } from "./clock.js";
import { bestOf, byId, chips, drawn, element, isEarlier, isHeld, put, questioned, sentences, thrownItem, putTiles } from "./dice.js";
import { showTest, verdict } from "./fairness.js";
import { chooseLanguage, keepNames, nameOf, say } from "./language.js";
import { chance, showOdds } from "./odds.js";
import { follow, part } from "./stream.js";
import { stayAwake } from "./wake.js";

const HERE_MS = 2000;
const PRESS_MS = 1500;
const IN_A_ROW = 5; // more dice on the stage stand in two rows
const SURE_MS = 4000; // how long the second press to give the seat back may take
const words = JSON.parse(document.body.dataset.texts);
/** @type {(Snapshot & { held: boolean })?} */
let state = null;
let panel = null;
let sending = Promise.resolve();
let reconnect = () => {};
let leaving = -SURE_MS;
let wantsName = 0; // the seat that was claimed just now
let whose = "";
let oldest = null;
let clip; // what offers a throw as a clip, from the first throw on

const remarks = (thrown) => [
  thrown.by_hand ? words.by_hand : "",
  thrown.corrected ? words.corrected : "",
  thrown.unseen ? (thrown.vouched ? words.vouched : words.unseen) : "",
].filter(Boolean);

async function post(path, body) {
  const response = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(PRESS_MS + 500),
  });
  const answer = await response.json();
  if (!response.ok) throw Object.assign(new Error(answer.error), { clock: answer.clock });
  return answer;
}

// The sentence of the gateway or the table, or else that there was no answer.
const why = (error) => (error.name === "Error" ? say(error.message) : words.stale);

// Sends a choice that was made at this time. If the gateway takes it for late, this phone may have its clock
// wrong: it is sent once more, dated by the clock in the refusal.
async function sendChoice(choice, time) {
  try {
    await post("/phone/choose", { ...choice, at: gatewayTime(time) });
  } catch (error) {
    if (error.clock === undefined) throw error;
    forgetClock();
    hearClock(error.clock);
    await post("/phone/choose", { ...choice, at: gatewayTime(time) });
  }
}

// One choice after the other, in the order of the fingers; each is dated when it is made.
function choose(seat, label, numbers) {
  const choice = { seat, label, numbers, question: panel.views[seat]?.question ?? panel.question };
  const time = performance.now();
  put(byId("said"), "");
  navigator.vibrate?.(20);
  sending = sending.then(() => sendChoice(choice, time)).then(
    () => put(byId("said"), ""),
    (error) => put(byId("said"), why(error)),
  );
}

function groupOf(seat) {
  const group = element("section", "seat");
  group.dataset.seat = seat;
  const name = element("button", "small who shape");
  name.type = "button";
  name.addEventListener("click", () => askName(seat));
  const heading = element("h2");
  heading.append(name, element("span", "turn"));
  group.append(heading, element("div", "text"), element("div", "about"), element("div", "choices"), element("div", "row"));
  return group;
}

// What a player is to do; that it is the player's turn stands above it.
function ownTodo({ name }) {
  if (state.held) return words.waits;
  const todo = state.todo.replace(`${name}: `, "");
  return state.awaits === "act" ? "" : todo.charAt(0).toUpperCase() + todo.slice(1);
}

// What another player is to do: "your turn" would be wrong on this phone.
function othersTodo() {
  if (state.held) return words.waits;
  return state.awaits === "act" ? words.turn_of.replace("{seat}", state.asked) : state.todo;
}

// The dice that the table asks about, and where they lie in their picture.
async function showAbout(box, question) {
  const shown = question?.dice.length ? JSON.stringify([question.dice, question.picture]) : "";
  if ((box.dataset.shown ?? "") === shown) return;
  box.dataset.shown = shown;
  box.replaceChildren();
  if (!shown) return;
  const { dice, picture } = question;
  const labels = questioned(question);
  const row = element("div", "dice");
  row.append(...drawn(dice).map((die, index) => {
    const figure = element("figure", dice[index].asked ? "asked" : "");
    figure.append(die, element("figcaption", "", labels[index]));
    return figure;
  }));
  box.append(row);
  if (!picture) return;
  const tray = element("div", "seen");
  const image = element("img");
  image.alt = words.picture_alt;
  image.src = `/throws/${picture}.jpg`;
  tray.append(image);
  const answer = await fetch(`/throws/${picture}.json`).catch(() => null);
  const { boxes } = answer?.ok ? await answer.json() : { boxes: [] };
  if (box.dataset.shown !== shown) return;
  tray.append(...boxes.flatMap(([left, top, width, height], index) => {
    if (!dice[index]?.asked) return [];
    const frame = element("span", "frame");
    Object.assign(frame.style, { left: `${100 * left}%`, top: `${100 * top}%`, width: `${100 * width}%`, height: `${100 * height}%` });
    return [frame];
  }));
  box.append(tray);
}

// A seat's question and buttons; they stay as they are until the table asks something else.
function showGroup(group) {
  const seat = Number(group.dataset.seat);
  const name = nameOf(panel.seats.find((each) => each.seat === seat).name);
  const view = panel.views[seat] ?? { text: "", choices: [] };
  const playing = state?.seats.find((each) => each.place === seat);
  const colour = panel.seats.find((each) => each.seat === seat)?.colour;
  group.className = `seat seat${colour}`;
  group.classList.toggle("asked", Boolean(playing?.asked || view.choices.some(({ small }) => !small)));
  put(group.querySelector(".who"), name);
  group.querySelector(".who").setAttribute("aria-label", words.name_for.replace("{name}", name));
  put(group.querySelector(".turn"), playing?.winner ? `★ ${words.you_win}` : playing?.asked && !state.question && !state.paused ? words.your_turn : "");
  const text = say(view.text) || (playing?.asked ? ownTodo(playing) : playing ? othersTodo() : "");
  const shown = JSON.stringify([text, view, panel.question]);
  showAbout(group.querySelector(".about"), view.text && view.question >= 0 ? state?.question : null);
  if (group.dataset.shown === shown) return;
  group.dataset.shown = shown;
  group.querySelector(".text").replaceChildren(...text.split("\n").filter(Boolean).map((line) => element("p", "", line)));
  group.querySelector(".choices").classList.toggle("grid", inGrid(view.choices.filter(({ small }) => !small)));
  const parts = [[".choices", false], [".row", true]];
  for (const [where, small] of parts) {
    group.querySelector(where).replaceChildren(...view.choices.filter((each) => each.small === small)
      .flatMap((each) => choiceElements({ ...each, label: say(each.label), note: say(each.note) }, words, (numbers) => choose(seat, each.label, numbers))));
  }
}

function showPanel() {
  const mine = panel ? panel.mine : [];
  byId("claim").hidden = !panel || mine.length > 0;
  byId("seat").hidden = byId("leave").hidden = mine.length === 0;
  byId("now").classList.toggle("seated", mine.length > 0);
  byId("now").hidden = mine.length > 0 && !state?.game;
  if (!mine.length || (state?.phase === "play" && byId("who").dataset.phase !== "play")) byId("who").hidden = true;
  if (!panel) return;
  document.body.dataset.question = panel.question;
  byId("seat-claims").replaceChildren(...panel.seats.map(({ name, state: how }) => {
    const item = element("li");
    item.append(element("span", "", nameOf(name)), element("span", "dim", how === "away" ? words.lost : words[how]));
    return item;
  }));
  const box = byId("seat");
  if (box.dataset.mine !== mine.join(",")) {
    box.dataset.mine = mine.join(",");
    box.replaceChildren(...mine.map(groupOf));
  }
  for (const group of box.children) showGroup(group);
  // The odds stand below the question that they are about.
  const turn = state?.seats.find((seat) => seat.asked && mine.includes(seat.place))?.place;
  (box.querySelector(`[data-seat="${turn}"] .choices`) ?? byId("todo")).after(chance);
  // The winner's phone shows it to the whole room.
  const won = state?.phase === "over" && state.seats.find((seat) => seat.winner && mine.includes(seat.place));
  document.body.className = won ? `won seat${won.colour}` : "";
  if (state) showWrong();
  if (!byId("who").hidden) showColours();
  const own = panel.seats.find(({ seat }) => seat === mine[0]);
  if (own && mine.length === 1 && !whose) chooseWhose(nameOf(own.name));
  const page = byId("mine");
  if (!page) return;
  page.hidden = !own || mine.length > 1;
  if (own) page.href = `/players/${encodeURIComponent(own.name)}`;
}

// Asks how a player wants to be called.
function askName(seat) {
  byId("who").hidden = false;
  Object.assign(byId("who").dataset, { seat, phase: state?.phase });
  byId("name").value = localStorage.getItem("name") ?? "";
  const taken = panel.seats.filter((each) => each.seat !== seat).map(({ name }) => name);
  byId("names").replaceChildren(...panel.names.filter((name) => !taken.includes(name)).map((name) => {
    const made = element("button", "small", name);
    made.type = "button";
    made.addEventListener("click", () => callMe(name));
    return made;
  }));
  showColours();
  byId("name").focus();
}

// The colours a player may take; one that another player chose is not among them.
function showColours() {
  const seat = Number(byId("who").dataset.seat);
  const own = panel.seats.find((each) => each.seat === seat)?.colour;
  const shown = JSON.stringify([seat, own, panel.colours]);
  if (byId("colours").dataset.shown === shown) return;
  byId("colours").dataset.shown = shown;
  byId("colours").replaceChildren(...words.colours.split(", ").map((name, at) => {
    const made = element("button", `colour seat${at + 1}`);
    made.type = "button";
    made.setAttribute("aria-label", name);
    made.setAttribute("aria-pressed", String(own === at + 1));
    made.disabled = own !== at + 1 && panel.colours.includes(at + 1);
    made.addEventListener("click", () => paint(seat, at + 1));
    return made;
  }));
}

function paint(seat, colour) {
  localStorage.setItem("colour", colour);
  return post("/phone/colour", { seat, colour }).catch((error) => put(byId("said"), why(error)));
}

async function callMe(name) {
  const seat = Number(byId("who").dataset.seat);
  try {
    await post("/phone/name", { seat, name });
    localStorage.setItem("name", name);
    byId("who").hidden = true;
    const playing = state?.seats.some((each) => each.place === seat && each.name !== name);
    put(byId("said"), playing && state.phase === "play" ? words.name_next : "");
    chooseWhose(name);
  } catch (error) {
    refuse(byId("name"), why(error));
  }
}

// A refusal at a field; a screen reader says it too.
function refuse(field, message) {
  field.setCustomValidity(message);
  field.reportValidity();
  put(byId("live"), message);
}

async function claim(code) {
  const { seats } = await post("/phone/claim", { code });
  byId("code").value = "";
  put(byId("said"), "");
  wantsName = seats.length === 1 ? seats[0] : 0;
  reconnect();
}

// The end of a game is the winner's; then the best throw, and small who wants the same again.
/** @param {Snapshot} snapshot */
function showEnd({ phase, podium, rematch, seats }) {
  document.body.dataset.phase = phase;
  const won = podium ? seats.filter(({ winner }) => winner) : [];
  byId("champion").style.setProperty("--letters", String(won.map(({ name }) => name).join(", ").length));
  byId("champion").replaceChildren(...won.map(({ name, colour }) => element("span", `seat${colour}`, name)));
  put(byId("which"), bestOf(podium, words.best_throw, words.rarest_throw) || words.last_heading);
  const [text, who] = byId("rematch").children;
  put(text, rematch?.text ?? "");
  who.replaceChildren(...chips(rematch?.seats ?? []));
}

// What decides the game now.
/** @param {ShownStage?} stage */
function showStage(stage) {
  byId("stage").hidden = !stage || !(stage.number || stage.caption);
  put(byId("number"), stage?.number ?? "");
  put(byId("caption"), stage?.caption ?? "");
  byId("stage").className = stage?.colour ? `seat${stage.colour}` : "";
  const dice = stage?.dice ?? [];
  byId("stage-dice").style.setProperty("--columns", String(dice.length > IN_A_ROW ? Math.ceil(dice.length / 2) : dice.length));
  byId("stage-dice").replaceChildren(...drawn(dice));
  putTiles(stage);
}

// What else the stage shows; without one of the game's own, what the state holds.
/** @param {Snapshot} snapshot */
function facts({ stage, facts: found }) {
  if (!stage || !(stage.dice.length || stage.beside.length || stage.token || stage.tiles?.length)) return found.filter((fact) => fact !== stage?.caption);
  const tokens = stage.token ? [`${stage.tokens} ${stage.token}`] : [];
  return [...stage.beside.map(({ number, caption }) => `${number} ${caption}`), ...tokens];
}

/** @param {ShownSeat[]} seats */
function showSeats(seats) {
  byId("scores").hidden = seats.length === 0;
  byId("seats").replaceChildren(...seats.map((seat) => {
    const item = element("li", [`seat${seat.colour}`, seat.asked ? "asked" : "", seat.winner ? "winner" : ""].join(" ").trim());
    const more = [seat.standing, seat.under_cup ? `${words.cup} ${seat.under_cup}` : "", seat.away ? words.away_seat : ""];
    item.append(
      element("span", "mark shape"),
      element("span", "name", seat.name),
      element("span", "score", seat.score),
      element("span", "more", more.filter(Boolean).join(" · ")),
    );
    return item;
  }));
}

/** @param {ShownThrow?} thrown @param {boolean} earlier */
function showLast(thrown, earlier) {
  byId("last").hidden = !thrown;
  if (!thrown) return;
  put(byId("last-who"), [thrown.seat || words.all_cups, ...remarks(thrown), earlier ? words.earlier : ""].filter(Boolean).join(", "));
  byId("dice").replaceChildren(...drawn(thrown.dice));
  const thrower = state.seats.find(({ name }) => name === thrown.seat);
  const own = thrown.picture && Boolean(thrower && panel?.mine.includes(thrower.place));
  (clip ??= part(() => import("./clip.js"))).then(({ offerClip }) => offerClip(thrown, own, words));
  const picture = byId("picture");
  const wanted = thrown.picture ? `/throws/${thrown.number}.jpg` : "";
  if ((picture.getAttribute("src") || "") === wanted) return;
  picture.hidden = true;
  picture.alt = words.picture_alt;
  picture.onload = () => { picture.hidden = false; };
  if (wanted) picture.src = wanted;
  else picture.removeAttribute("src");
}

// The last things that happened, newest first, beside the game: a swipe shows them.
/** @param {LoggedStep[]} log */
function showLog(log) {
  byId("logged").hidden = log.length === 0;
  byId("log").replaceChildren(...log.toReversed().map(({ text }) => element("li", "", text)));
}

const named = (seat) => ({ ...seat, name: nameOf(seat.name) });
const thrownBy = (thrown) => ({ ...thrown, seat: nameOf(thrown.seat) });

// The state with its sentences in this phone's language.
function inOwnLanguage(found) {
  const rules = [found, ...(found.set_up ? [found.set_up, ...(found.set_up.games ?? [])] : [])].map(({ house_rules: name }) => name);
  keepNames([...[...found.seats, ...found.throws.map(({ seat }) => ({ name: seat }))].map(({ name }) => name), ...rules.filter(Boolean)]);
  return {
    ...found,
    held: isHeld(found),
    title: say(found.title),
    todo: say(found.todo),
    wrong: say(found.wrong),
    guide: say(found.guide ?? ""),
    happened: found.happened.map(say),
    log: (found.log ?? []).map((step) => ({ ...step, text: say(step.text) })),
    facts: found.facts.map(say),
    asked: found.asked && nameOf(found.asked),
    throws: found.throws.map(thrownBy),
    podium: found.podium && { ...found.podium, best: found.podium.best && thrownBy(found.podium.best) },
    rematch: found.rematch && { ...found.rematch, text: say(found.rematch.text), seats: found.rematch.seats.map(named) },
    stage: found.stage && {
      ...found.stage,
      caption: say(found.stage.caption),
      token: say(found.stage.token),
      beside: found.stage.beside.map((each) => ({ ...each, caption: say(each.caption) })),
    },
    seats: found.seats.map(named).map((seat) => ({ ...seat, score: say(seat.score), standing: say(seat.standing) })),
  };
}

const pausedText = (name) => (name ? words.paused_by.replace("{name}", name) : words.paused);

// Why the game waits, unless the card of a seat says it already.
function showWrong() {
  const text = state.paused ? pausedText(state.paused_by) : state.wrong || (state.rolling ? words.rolling : "");
  const above = [...document.querySelectorAll(".seat .text p")].map(({ textContent }) => textContent);
  put(byId("wrong"), above.includes(text) ? "" : text);
  byId("wrong").classList.toggle("rolling", !state.wrong && !state.paused);
}

/** @param {Snapshot} found */
function show(found) {
  const fresh = !state || state.throws[0]?.number !== found.throws[0]?.number;
  state = inOwnLanguage(found);
  put(byId("title"), state.house_rules || state.title || document.title);
  put(byId("todo"), state.held ? words.waits : state.todo || words.no_game);
  put(byId("guide"), state.guide);
  showWrong();
  put(byId("happened"), sentences(state.happened));
  showStage(state.stage);
  showTest(state.fairness);
  byId("facts").replaceChildren(...facts(state).map((fact) => element("li", "", fact)));
  put(byId("live"), sentences([state.todo, state.wrong, ...state.happened, verdict(state.fairness)]));
  showSeats(state.seats);
  showEnd(state);
  showLog(state.log);
  showLast(state.podium?.best ?? state.throws[0], isEarlier(state));
  if (panel) showPanel();
  names();
  if (fresh) showHistory();
  showOdds(state, { say, told: allOdds });
  const game = state.game ?? state.set_up?.game ?? "";
  if (document.body.dataset.game !== game) {
    document.body.dataset.game = game;
    for (const each of document.querySelectorAll("#rules details")) each.open = each.dataset.game === game;
  }
  document.body.dataset.revision = String(state.revision);
}

function allOdds(told) {
  byId("chances").replaceChildren(...told.odds.flatMap(({ what, chance }) => [element("dt", "", say(what)), element("dd", "", chance)]));
  byId("no-odds").hidden = told.odds.length > 0;
  put(byId("no-odds"), told.on ? words.no_odds : words.odds_off);
}

// Throws of one player, or of all, page after page.
function names() {
  const select = byId("whose");
  const known = new Set([...select.options].map(({ value }) => value));
  for (const name of [...state.seats.map((seat) => seat.name), ...state.throws.map((thrown) => thrown.seat)]) {
    if (!known.has(name)) {
      known.add(name);
      select.append(new Option(name, name));
    }
  }
}

function chooseWhose(name) {
  whose = name;
  if (![...byId("whose").options].some(({ value }) => value === name)) byId("whose").append(new Option(name, name));
  byId("whose").value = name;
  showHistory();
}

function showHistory() {
  oldest = null;
  byId("older").hidden = state.throws.length === 0;
  const shown = state.throws.filter((thrown) => !whose || thrown.seat === whose);
  byId("throws").replaceChildren(...(shown.length ? shown.map((thrown) => thrownItem(thrown, remarks(thrown))) : [element("li", "dim", words.no_throws)]));
  oldest = state.throws.at(-1)?.number ?? 0;
}

async function older() {
  let found = [];
  for (let page = 0; page < 5 && !found.length && oldest; page += 1) {
    const { throws } = await (await fetch(`/api/throws?before=${oldest}`)).json();
    oldest = throws.at(-1)?.number ?? 0;
    found = throws.map(thrownBy).filter((thrown) => !whose || thrown.seat === whose);
  }
  byId("throws").append(...found.map((thrown) => thrownItem(thrown, remarks(thrown))));
  if (!oldest) {
    byId("older").hidden = true;
    byId("throws").append(element("li", "dim", words.no_more));
  }
}

function linked(how) {
  if (how === "stale") forgetClock();
  if (how === "live") answered();
  document.body.dataset.link = how === "live" ? "live" : "stale";
  put(byId("link"), how === "live" ? "" : how === "away" ? words.away : state ? words.stale : words.connecting);
}

// The gateway answers: what said that it doesn't is over.
function answered() {
  if (byId("said").textContent === words.stale) put(byId("said"), "");
}

function news({ clock, panel: found }) {
  hearClock(clock);
  answered();
  panel = found;
  if (panel) keepNames([...panel.names, ...panel.seats.map(({ name }) => name)]);
  showPanel();
  stayAwake(Boolean(panel?.mine.length)); // a locked phone is silent
  if (wantsName && panel?.mine.includes(wantsName)) {
    const colour = Number(localStorage.getItem("colour")); // the one from last time, if it is free
    if (colour && !panel.colours.includes(colour)) paint(wantsName, colour);
    askName(wantsName);
    wantsName = 0;
  }
}

async function here() {
  if (!panel?.mine.length) return;
  const { seats } = await post("/phone/here", {}).catch(() => ({ seats: panel.mine }));
  if (!seats.length) {
    panel = { ...panel, mine: [] };
    showPanel();
  }
}

byId("claim-form").addEventListener("submit", (event) => {
  event.preventDefault();
  claim(byId("code").value).catch((error) => refuse(byId("code"), why(error)));
});
byId("name-form").addEventListener("submit", (event) => {
  event.preventDefault();
  callMe(byId("name").value.trim());
});
// A refusal is over once the field changes or is sent again; otherwise the browser would hold the form back.
for (const [form, field] of [["claim-form", "code"], ["name-form", "name"]]) {
  for (const [where, what] of [[byId(field), "input"], [byId(form).querySelector("button"), "click"]]) {
    where.addEventListener(what, () => byId(field).setCustomValidity(""));
  }
}
byId("leave").addEventListener("click", async () => {
  if (performance.now() - leaving > SURE_MS) {
    leaving = performance.now();
    put(byId("leave"), words.leave_sure);
    return setTimeout(() => put(byId("leave"), words.leave), SURE_MS);
  }
  leaving = -SURE_MS;
  put(byId("leave"), words.leave);
  await post("/phone/leave", {}).catch((error) => put(byId("said"), why(error)));
  reconnect();
});
byId("whose").addEventListener("change", () => chooseWhose(byId("whose").value));
byId("older").addEventListener("click", () => older().catch((error) => put(byId("said"), why(error))));
document.addEventListener("visibilitychange", () => { if (!document.hidden) { here(); stayAwake(Boolean(panel?.mine.length)); } });
setInterval(here, HERE_MS);
// A player who is about to enter a name goes on with that in the other language.
wantsName = Number(sessionStorage.getItem("wantsName"));
sessionStorage.removeItem("wantsName");
chooseLanguage(
  () => { if (!byId("who").hidden) sessionStorage.setItem("wantsName", byId("who").dataset.seat); },
  () => put(byId("said"), words.stale),
);
reconnect = follow("/phone/events", { state: show, panel: news, clock: news }, linked);
// The QR code of a seat has its code behind the #, which no server sees.
const scanned = /^#([\w-]{22}|\d{6})$/.exec(location.hash);
if (scanned) {
  history.replaceState(null, "", location.pathname);
  claim(scanned[1]).catch((error) => put(byId("said"), why(error)));
}
