// The phone page: follows /events, and where phones are the panel it is the buttons of a seat.
import { byId, drawn, element, put, sentences, thrownItem } from "./dice.js";
import { showTest, verdict } from "./fairness.js";
import { follow } from "./stream.js";

const HERE_MS = 2000;
const HOLD_MS = 800; // as on a real panel, OK held means back
const REPEAT_MS = 500;
const PRESS_MS = 1500;
const COLOURS = { white: "#f6f3ea", red: "#ff8a8a", green: "#4ade80", blue: "#7db7ff", yellow: "#ffd166" };
const words = JSON.parse(document.body.dataset.texts);
const KEYS = [["minus", "−"], ["ok", words.ok], ["plus", "+"]];
let state = null;
let panel = null;
let offsetMs = null;
let sending = Promise.resolve();
let reconnect = () => {};
let leaving = 0;
let whose = "";
let oldest = null;

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
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

// One press after the other, in the order of the fingers; each is dated when it is made.
function press(control, how) {
  const made = { control, how, question: panel.question, at: Math.round(performance.now() + offsetMs) };
  put(byId("said"), "");
  sending = sending.then(() => post("/phone/press", made)).then(
    () => put(byId("said"), ""),
    (error) => put(byId("said"), error.name === "Error" ? error.message : words.stale),
  );
}

// A key of a seat. OK counts when it is let go, or as back once it was held; minus and plus repeat.
function key(seat, name, label) {
  const button = element("button", name, label);
  const control = `seat${seat}.${name}`;
  button.type = "button";
  button.setAttribute("aria-label", words[name]);
  let timer = 0;
  let held = false;
  let down = false;

  const begin = (event) => {
    if (down || (event.button ?? 0) !== 0) return;
    event.preventDefault();
    if (event.pointerId !== undefined) button.setPointerCapture(event.pointerId);
    down = true;
    held = false;
    button.classList.add("down");
    if (name !== "ok") press(control, "tap");
    timer = setTimeout(() => {
      held = true;
      if (name === "ok") press(control, "hold");
      else press(control, "down");
    }, name === "ok" ? HOLD_MS : REPEAT_MS);
  };
  const end = (counts) => {
    if (!down) return;
    clearTimeout(timer);
    down = false;
    button.classList.remove("down");
    if (name === "ok") {
      if (!held && counts) press(control, "tap");
    } else if (held) press(control, "up");
  };
  button.addEventListener("pointerdown", begin);
  button.addEventListener("pointerup", () => end(true));
  button.addEventListener("pointercancel", () => end(false));
  button.addEventListener("contextmenu", (event) => event.preventDefault());
  button.addEventListener("keydown", (event) => { if ([" ", "Enter"].includes(event.key) && !event.repeat) begin(event); });
  button.addEventListener("keyup", (event) => { if ([" ", "Enter"].includes(event.key)) end(true); });
  button.addEventListener("blur", () => end(false));
  return button;
}

function showKeys(mine, seats) {
  const wanted = mine.join(",");
  const box = byId("keys");
  if (box.dataset.mine !== wanted) {
    box.dataset.mine = wanted;
    box.replaceChildren(...mine.map((seat) => {
      const group = element("div", "keys");
      group.dataset.seat = seat;
      group.setAttribute("role", "group");
      const heading = element("h3");
      heading.append(element("b"), element("span"));
      const row = element("div");
      row.append(...KEYS.map(([name, label]) => key(seat, name, label)));
      group.append(heading, row);
      return group;
    }));
  }
  for (const group of box.children) {
    const seat = seats.find(({ seat }) => String(seat) === group.dataset.seat);
    const name = seat ? seat.name : "";
    const [mode, colour] = panel.lamps[`seat${group.dataset.seat}`] || ["off", "white"];
    group.className = `keys ${mode === "off" ? "" : `lit ${mode}`}`;
    group.style.setProperty("--colour", COLOURS[colour]);
    group.setAttribute("aria-label", name);
    put(group.querySelector("b"), name);
    const playing = state?.seats.find((each) => String(each.place) === group.dataset.seat);
    put(group.querySelector("span"), playing?.asked ? words.your_turn : "");
  }
}

function showPanel() {
  const mine = panel ? panel.mine : [];
  byId("claim").hidden = !panel || mine.length > 0;
  byId("seat").hidden = mine.length === 0;
  if (!panel) return;
  document.body.dataset.question = panel.question;
  byId("seat-claims").replaceChildren(...panel.seats.map(({ name, state: how }) => {
    const item = element("li");
    item.append(element("span", "", name), element("span", "dim", how === "away" ? words.lost : words[how]));
    return item;
  }));
  if (!mine.length) return;
  put(byId("panel"), panel.lines.join("\n"));
  showKeys(mine, panel.seats);
  const own = panel.seats.find(({ seat }) => seat === mine[0]);
  if (own && mine.length === 1 && !whose) choose(own.name);
}

function showSeats(seats) {
  byId("scores").hidden = seats.length === 0;
  byId("seats").replaceChildren(...seats.map((seat) => {
    const item = element("li", [seat.asked ? "asked" : "", seat.winner ? "winner" : ""].join(" ").trim());
    const more = [seat.standing, seat.under_cup ? `${words.cup} ${seat.under_cup}` : "", seat.away ? words.away_seat : ""];
    item.append(
      element("span", "mark", seat.winner ? "★" : seat.asked ? "▶" : ""),
      element("span", "name", seat.name),
      element("span", "score", seat.score),
      element("span", "more", more.filter(Boolean).join(" · ")),
    );
    return item;
  }));
}

function showLast(thrown) {
  byId("last").hidden = !thrown;
  if (!thrown) return;
  put(byId("last-who"), [thrown.seat, ...remarks(thrown)].filter(Boolean).join(", "));
  byId("dice").replaceChildren(...drawn(thrown.dice));
  const picture = byId("picture");
  const wanted = thrown.picture ? `/throws/${thrown.number}.jpg` : "";
  if ((picture.getAttribute("src") || "") === wanted) return;
  picture.hidden = true;
  picture.alt = words.picture_alt;
  picture.onload = () => { picture.hidden = false; };
  if (wanted) picture.src = wanted;
  else picture.removeAttribute("src");
}

function show(found) {
  const fresh = !state || state.throws[0]?.number !== found.throws[0]?.number;
  const moved = !state || state.todo !== found.todo || state.game !== found.game || fresh;
  state = found;
  put(byId("title"), state.title || document.title);
  put(byId("todo"), state.todo || words.nobody);
  put(byId("wrong"), state.paused ? words.paused : state.wrong || (state.rolling ? words.rolling : ""));
  byId("wrong").classList.toggle("rolling", !state.wrong && !state.paused);
  put(byId("happened"), sentences(state.happened));
  showTest(state.fairness);
  byId("facts").replaceChildren(...state.facts.map((fact) => element("li", "", fact)));
  put(byId("live"), sentences([state.todo, state.wrong, ...state.happened, verdict(state.fairness)]));
  showSeats(state.seats);
  showLast(state.throws[0]);
  if (panel) showPanel();
  names();
  if (fresh) history();
  if (moved && byId("odds").open) odds();
  if (document.body.dataset.game !== state.game) {
    document.body.dataset.game = state.game || "";
    for (const each of document.querySelectorAll("#rules details")) each.open = each.dataset.game === state.game;
  }
  document.body.dataset.revision = state.revision;
}

async function odds() {
  const told = await (await fetch("/api/odds")).json();
  byId("chances").replaceChildren(...told.odds.flatMap(({ what, chance }) => [element("dt", "", what), element("dd", "", chance)]));
  byId("no-odds").hidden = told.odds.length > 0;
  put(byId("no-odds"), told.on ? words.no_odds : words.odds_off);
}

// Throws of one player, or of everybody, page after page.
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

function choose(name) {
  whose = name;
  if (![...byId("whose").options].some(({ value }) => value === name)) byId("whose").append(new Option(name, name));
  byId("whose").value = name;
  history();
}

function history() {
  oldest = null;
  byId("older").hidden = false;
  const shown = state.throws.filter((thrown) => !whose || thrown.seat === whose);
  byId("throws").replaceChildren(...(shown.length ? shown.map((thrown) => thrownItem(thrown, remarks(thrown))) : [element("li", "dim", words.no_throws)]));
  oldest = state.throws.at(-1)?.number ?? 0;
}

async function older() {
  let found = [];
  for (let page = 0; page < 5 && !found.length && oldest; page += 1) {
    const { throws } = await (await fetch(`/api/throws?before=${oldest}`)).json();
    oldest = throws.at(-1)?.number ?? 0;
    found = throws.filter((thrown) => !whose || thrown.seat === whose);
  }
  byId("throws").append(...found.map((thrown) => thrownItem(thrown, remarks(thrown))));
  if (!oldest) {
    byId("older").hidden = true;
    byId("throws").append(element("li", "dim", words.no_more));
  }
}

function linked(how) {
  document.body.dataset.link = how === "live" ? "live" : "stale";
  put(byId("link"), how === "live" ? "" : how === "away" ? words.away : state ? words.stale : words.connecting);
}

// The gateway's clock as this phone knows it: the message that came quickest is nearest to the truth.
function news({ clock, panel: found }) {
  const offset = clock - performance.now();
  offsetMs = offsetMs === null ? offset : Math.max(offset, offsetMs);
  panel = found;
  showPanel();
}

async function here() {
  if (!panel?.mine.length) return;
  const { seats } = await post("/phone/here", {}).catch(() => ({ seats: panel.mine }));
  if (!seats.length) {
    panel = { ...panel, mine: [] };
    showPanel();
  }
}

byId("claim-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    await post("/phone/claim", { code: byId("code").value });
    byId("code").value = "";
    byId("said").textContent = "";
    reconnect();
  } catch (error) {
    byId("code").setCustomValidity(error.message);
    byId("code").reportValidity();
    put(byId("live"), error.message);
  }
});
// A refusal is over once the code changes or is sent again; otherwise the browser would hold the form back.
for (const [where, what] of [[byId("code"), "input"], [byId("claim-form").querySelector("button"), "click"]]) {
  where.addEventListener(what, () => byId("code").setCustomValidity(""));
}
byId("menu").addEventListener("click", () => press("table.menu", "tap"));
byId("leave").addEventListener("click", async () => {
  if (performance.now() - leaving > 4000) {
    leaving = performance.now();
    return put(byId("said"), words.leave_sure);
  }
  await post("/phone/leave", {});
  reconnect();
});
byId("odds").addEventListener("toggle", () => { if (byId("odds").open) odds(); });
byId("whose").addEventListener("change", () => choose(byId("whose").value));
byId("older").addEventListener("click", older);
document.addEventListener("visibilitychange", () => { if (!document.hidden) here(); });
setInterval(here, HERE_MS);
reconnect = follow("/phone/events", { state: show, panel: news, clock: news }, linked);
