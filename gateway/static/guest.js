// The guest page. It shows the newest snapshot of /events, whole.
import { byId, drawn, element, isEarlier, isHeld, put, putWhole, questioned, sentences, thrownItem } from "./dice.js";
import { showTest, verdict } from "./fairness.js";
import { forgetThrow, showThrow } from "./last_throw.js";
import { THROW_S, isOn, play, say, setVolume, tryToTurnOn, turnOff, turnOn } from "./sound.js";
import { showStage } from "./stage.js";
import { follow, part } from "./stream.js";

const words = document.body.dataset;
/** @type {Snapshot?} */
let before = null;
let shownPicture = 0;
let shownDice = "";
let shownLog = "";
const loading = part(() => import("./moments.js")); // the page shows the game without it
const chances = part(() => import("./odds.js")); // and without these
const attract = part(() => import("./attract.js"));
const podium = part(() => import("./podium.js"));
let over = Promise.resolve(); // once nothing owns the screen any more
let endMoment = () => {};

// That the camera did not see a die roll, the ledger keeps; a wall accuses nobody.
const remarks = (thrown) => [
  thrown.by_hand ? words.byHand : "", thrown.corrected ? words.corrected : "", thrown.unseen && thrown.vouched ? words.vouched : "",
].filter(Boolean);

/** @param {ShownThrow?} thrown @param {boolean} earlier */
function showLast(thrown, earlier) {
  const dice = JSON.stringify(thrown ? [thrown.number, thrown.dice] : []);
  if (dice !== shownDice) byId("dice").replaceChildren(...drawn(thrown ? thrown.dice : []));
  shownDice = dice;
  const count = thrown ? thrown.dice.length : 0;
  const named = byId("dice").querySelector("figcaption") !== null;
  byId("last").classList.toggle("earlier", earlier);
  byId("dice").classList.toggle("some", count > (named ? 5 : 6));
  byId("dice").classList.toggle("many", count > 12);
  const notes = thrown ? [...remarks(thrown), earlier ? words.earlier : ""].filter(Boolean) : [];
  byId("last-who").textContent = thrown
    ? (thrown.seat || words.allCups) + (notes.length ? ` (${notes.join(", ")})` : "")
    : words.noThrows;
  const wanted = thrown && thrown.picture ? thrown.number : 0;
  const isNew = before !== null && wanted !== shownPicture;
  shownPicture = wanted;
  if (wanted) showThrow(wanted, thrown.dice.map(({ value }) => String(value)), isNew && over);
  else forgetThrow();
}

// The dice that wait for an answer stand where the last throw stood.
/** @param {Question?} question */
function showAsked(question) {
  byId("dice").replaceChildren(...drawn(question.dice));
  shownDice = "";
  byId("dice").classList.toggle("some", question.dice.length > 5);
  byId("dice").classList.toggle("many", question.dice.length > 12);
  byId("last-who").textContent = question.seat;
  if (question.picture) showThrow(question.picture, questioned(question));
  else forgetThrow();
}

/** @param {ShownThrow[]} throws */
function showThrows(throws) {
  byId("throws").replaceChildren(...throws.map((thrown) => thrownItem(thrown, remarks(thrown))));
  byId("history").hidden = throws.length === 0;
}

/** @param {ShownSeat[]} seats */
function showSeats(seats) {
  byId("seats").replaceChildren(...seats.map((seat) => {
    const named = [["asked", seat.asked], ["winner", seat.winner], ["out", seat.out]].filter(([, so]) => so);
    const item = element("li", [`seat${seat.colour}`, ...named.map(([name]) => name)].join(" "));
    const mark = element("span", "mark shape");
    const dice = element("span", "dice");
    dice.append(...drawn(seat.dice || []).slice(0, 6));
    if (seat.asked) item.setAttribute("aria-current", "true");
    const more = [
      seat.note ?? seat.standing,
      seat.under_cup ? `${words.cup} ${seat.under_cup}` : "",
      seat.away ? words.awaySeat : "",
    ].filter(Boolean).join(" · ");
    const under = element("span", "under");
    under.append(dice, element("span", "more", more));
    item.append(mark, element("span", "name", seat.name), element("span", seat.number.length > 3 ? "number wide" : "number", seat.number), under,
      element("span", "score", seat.beside));
    return item;
  }));
}

// What happened last, the newest first.
/** @param {LoggedStep[]} log @param {ShownSeat[]} seats */
function showLog(log, seats) {
  const told = JSON.stringify(log);
  if (told === shownLog) return;
  shownLog = told;
  byId("log").querySelector("ol").replaceChildren(...[...log].reverse().map(({ seat, text }) =>
    element("li", `seat${seats.find(({ name }) => name === seat)?.colour ?? 0}`, text)));
}

// Who has won tonight, and how often.
/** @param {Evening?} board */
function showBoard(board) {
  const box = byId("tonight");
  box.hidden = !board;
  if (!board) return;
  box.querySelector("ol").replaceChildren(...board.wins.map(({ name, wins }) => {
    const item = element("li", "", `${name} `);
    item.append(element("strong", "", `★${wins}`));
    return item;
  }));
  box.querySelector("p").textContent = words.soFar.replace("{games}", String(board.games)).replace("{dice}", String(board.dice));
}

// What is heard of a change; nothing of the first state that a page gets.
/** @param {Snapshot} state */
function sounds(state) {
  if (!before || !isOn()) return;
  const thrown = state.throws[0];
  const fresh = thrown && thrown.number !== before.throws[0]?.number;
  const after = fresh ? THROW_S : 0; // what came of the dice is heard after them
  const { game } = state;
  if (fresh) play("throw", 0, { player: thrown.seat, game });
  const moved = JSON.stringify([before.todo, before.happened]) !== JSON.stringify([state.todo, state.happened]);
  if (!moved) return;
  if (state.phase === "over" && before.phase !== "over") {
    play("win", after, { player: state.winners[0], game });
    return say(words.sayWinner.replace("{winners}", state.winners.join(", ")));
  }
  const bust = state.events.find(({ row, event }) => row > before.row && event === "bust");
  if (bust) play("bust", after, { player: bust.seat, game });
  else if (state.asked && state.asked !== before.asked) play("turn", after, { player: state.asked, game });
  const next = state.phase === "play" && !brings(state) ? state.todo : "";
  say(sentences([...state.happened, next]));
}

// Whether something happened that may own the screen; nothing of the first state that a page gets.
/** @param {Snapshot} state */
const brings = (state) => Boolean(before && state.moments && before.moments?.number !== state.moments.number);

// What happened just now owns the screen, and what comes next is said after it.
/** @param {Snapshot} state */
async function moments(state) {
  if (!brings(state)) {
    // What waits for people waits for no picture.
    const asks = (state.question && !before?.question) || (state.paused && !before?.paused);
    if (before && (asks || state.oks !== before.oks)) (await loading).endMoments();
    return;
  }
  const thrown = state.throws[0]?.number !== before.throws[0]?.number ? state.throws[0] : null;
  const thrower = thrown && state.seats.find(({ name }) => name === thrown.seat);
  const winner = state.seats.find((seat) => seat.winner);
  const counts = state.moments.told.some(({ dice }) => dice?.length); // that shows them all
  const told = [
    ...(thrown && !(counts && !thrown.picture) ? [{ thrown, colour: thrower?.colour, caption: state.happened, number: named(state, thrower) }] : []),
    ...state.moments.told.map((moment) => ({ ...moment, game: state.game, player: state.seats.find(({ place }) => place === moment.place)?.name })),
    ...(winner && before.phase !== "over"
      ? [{ text: state.winners.join(", "), caption: words.winner, colour: winner.colour, best: true }] : []),
  ];
  endMoment();
  over = new Promise((resolve) => { endMoment = resolve; });
  (await loading).showMoments(told, () => {
    endMoment();
    if (before.phase === "play") say(before.todo);
  });
}

// The thrower's own number, if what happened names it.
/** @param {Snapshot} state @param {ShownSeat=} thrower */
function named(state, thrower) {
  const number = Number(thrower?.number);
  return number && state.happened.some((line) => line.split(/\W/).includes(String(number))) ? number : 0;
}

// A text of more than so many letters needs two lines in its place on a television.
function sized(id, text, most) {
  byId(id).textContent = text;
  byId(id).classList.toggle("long", text.length > most);
}

/** @param {Snapshot} state */
function show(state) {
  // The way to a phone is another one between games: it does not move there, it appears.
  if (document.body.dataset.phase !== state.phase) byId("join").replaceWith(byId("join").cloneNode(true));
  document.body.dataset.phase = state.phase;
  document.body.dataset.game = state.game ?? state.set_up?.game ?? "";
  document.body.dataset.phones = state.phones ? "yes" : "no";
  const asked = state.seats.find((seat) => seat.asked || seat.winner);
  document.body.dataset.seat = asked ? String(asked.colour) : "";
  byId("title").textContent = state.house_rules || state.title;
  byId("title").style.setProperty("--letters", byId("title").textContent.length);
  byId("facts").replaceChildren(...state.facts.map((fact) => element("li", "", fact)));
  const asks = state.question;
  const trouble = isHeld(state);
  document.body.dataset.trouble = trouble ? "yes" : "no";
  sized("todo", asks ? asks.text : trouble ? words.waits : state.todo, 28);
  byId("guide").textContent = state.guide ?? "";
  byId("answer").hidden = !asks;
  byId("answer").textContent = asks ? asks.answer : "";
  document.body.dataset.asks = asks ? "yes" : "no";
  const choices = trouble ? [] : state.choices;
  sized("choices", choices.join(" · "), 46);
  putWhole(byId("choices"), choices, ["…"]);
  const shownWrong = trouble || asks ? "" : state.wrong;
  sized("wrong", shownWrong || (state.rolling && !asks ? words.rolling : ""), 52);
  byId("wrong").classList.toggle("rolling", !state.wrong);
  byId("happened").textContent = sentences(state.happened);
  byId("paused").hidden = !state.paused;
  const paused = state.paused_by ? words.pausedBy.replace("{name}", state.paused_by) : words.paused;
  put(byId("paused"), paused);
  byId("menu").hidden = !state.menu || Boolean(asks);
  if (state.set_up) part(() => import("./lobby.js")).then(({ showLobby }) => showLobby(state.set_up));
  byId("panel").textContent = state.set_up ? "" : state.panel.join("\n");
  byId("troubles").replaceChildren(...state.troubles.filter(({ guests }) => guests).map(({ guests }) => element("p", "", guests)));
  byId("rule-list").replaceChildren(...state.rules.map((rule) => element("li", "", rule)));
  showBoard(state.tonight);
  if (state.phase === "idle") {
    const isNew = before && before.phase !== "idle"; // a game may have made a new one
    attract.then(({ showBest }) => showBest(isNew));
  }
  byId("last-winners").hidden = state.winners.length === 0 || Boolean(state.tonight);
  byId("last-winners").querySelector("strong").textContent = state.winners.join(", ");
  sounds(state);
  moments(state);
  showSeats(state.seats);
  showLog(state.log ?? [], state.seats);
  showStage(state.stage);
  chances.then(({ showOdds }) => showOdds(state));
  showTest(state.fairness);
  if (asks?.dice.length) showAsked(asks);
  else showLast(state.podium?.best ?? state.throws[0], isEarlier(state));
  podium.then(({ showPodium }) => showPodium(state));
  showThrows(state.throws);
  put(byId("live"), sentences([...(asks ? [asks.text, asks.answer] : [state.paused ? paused : "", state.todo, state.wrong]), ...state.happened, verdict(state.fairness)]));
  if (state.phase === "over" && before && before.phase !== "over") loading.then(({ celebrate }) => celebrate());
  if (state.phase !== "over") byId("confetti").replaceChildren();
  before = state;
  document.body.dataset.revision = String(state.revision);
}

function linked(how) {
  document.body.dataset.link = how === "live" ? "live" : "stale";
  const text = how === "live" ? "" : how === "away" ? words.away : before ? words.stale : words.connecting;
  put(byId("link"), text);
  if (text) put(byId("live"), text);
}

// What the house says; "message" is an event of the gateway's own.
function message({ text }) {
  put(byId("message"), text);
  byId("message").hidden = !text;
  if (text) put(byId("live"), text);
}

// Dice of every kind above the invitation, and each game's own above its poster.
function showDice() {
  for (const poster of document.querySelectorAll(".game .dice")) {
    const dice = poster.dataset.dice.split(" ").filter(Boolean).map((each) => each.split(":"));
    poster.replaceChildren(...drawn(dice.map(([kind, value]) => ({ kind, value }))));
  }
  const kinds = [["d6", 6], ["d20", 20], ["d4", 4], ["d12", 12], ["d8", 8], ["d10", 10], ["d6", 1]];
  byId("show-dice").replaceChildren(...drawn(kinds.map(([kind, value]) => ({ kind, value }))));
}

function loudspeaker() {
  const button = byId("sound");
  const slider = byId("volume");
  const showIt = () => {
    button.setAttribute("aria-pressed", String(isOn()));
    button.setAttribute("aria-label", isOn() ? words.soundOn : words.soundOff);
    slider.hidden = !isOn();
  };
  button.addEventListener("click", async () => {
    await (isOn() ? turnOff() : turnOn());
    localStorage.setItem("sound", isOn() ? "on" : "off");
    showIt();
    play("turn");
  });
  // A display that was turned down stays silent. One on a guest's own phone would be a nuisance.
  if (words.paired && localStorage.getItem("sound") !== "off") tryToTurnOn().then(showIt);
  slider.addEventListener("input", () => setVolume(slider.valueAsNumber));
  setVolume(slider.valueAsNumber);
}

loudspeaker();
showDice();
for (const logo of document.querySelectorAll(".logo")) {
  part(() => import("./logo.js")).then(({ plate }) => plate(logo).catch(() => {})); // one that cannot be shown has none
}
if (words.paired) { // a display of the table; a guest's own phone may lock
  const { stayAwake } = await part(() => import("./wake.js"));
  stayAwake(true);
  document.addEventListener("visibilitychange", () => stayAwake(true));
}
byId("moment").addEventListener("click", async () => (await loading).endMoments());
const handlers = { state: show, message };
if (words.paired) {
  const { showCodes, showPlaying } = await part(() => import("./codes.js"));
  const state = (found) => { show(found); showPlaying(found); };
  Object.assign(handlers, { state, codes: showCodes });
}
follow(words.paired ? "/display" : "/events", handlers, linked);
