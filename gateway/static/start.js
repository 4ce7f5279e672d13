// The first page of a game under this machine's camera: its picture, whether it will do, and what to do next.
const PAUSE_MS = 400;
const LATE_MS = 5000;

const texts = JSON.parse(document.body.dataset.texts);
const byId = (id) => document.getElementById(id);
const picture = byId("seen");
const cameras = byId("cameras");
let listed = "";

function say(text) {
  if (byId("said").textContent !== text) byId("said").textContent = text;
}

async function ask(path, options) {
  const response = await fetch(path, { cache: "no-store", signal: AbortSignal.timeout(LATE_MS), ...options });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(answer.error ?? texts.away);
  return answer;
}

function list(found, camera) {
  const now = JSON.stringify([found, camera]);
  if (now === listed) return;
  listed = now;
  cameras.replaceChildren(...found.map(({ path, name }) => new Option(name, path, path === camera, path === camera)));
  byId("choice").hidden = found.length < 2;
}

function mark({ text, good }) {
  const item = document.createElement("li");
  item.className = good ? "good" : "bad";
  item.textContent = text;
  return item;
}

async function look() {
  const state = await ask("/start/state");
  if (state.picture) {
    picture.src = `/start/picture.jpg?${Date.now()}`;
    await picture.decode().catch(() => {});
  }
  picture.hidden = !state.picture;
  say(state.todo);
  list(state.cameras, state.camera);
  byId("checks").replaceChildren(...state.checks.map(mark));
  byId("notes").textContent = state.notes.length ? `${texts.refused} ${state.notes.join(", ")}` : "";
}

// The code in the terminal's address lets a browser of another machine in, once.
async function pair() {
  const code = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
  if (code) await post("/start/pair", { code });
}

function post(path, body) {
  const headers = { "content-type": "application/json" };
  return ask(path, { method: "POST", body: JSON.stringify(body), headers });
}

async function follow() {
  if (!document.hidden) await look().catch((error) => say(error.name === "TypeError" ? texts.away : error.message));
  setTimeout(follow, PAUSE_MS);
}

cameras.addEventListener("change", () => {
  post("/start/camera", { path: cameras.value }).catch((error) => say(error.message));
});
pair().catch(() => {}).then(follow);
