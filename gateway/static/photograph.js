// The page that sends a photograph of each throw: for a phone whose browser lends no camera to this page.
//
// The picture is made upright and as large as a frame of a camera before it is sent.
const LONGEST = 1280;
const MOST_BYTES = 400_000;
const QUALITIES = [0.9, 0.8, 0.65, 0.5, 0.3];
const LATE_MS = 20_000;

const texts = JSON.parse(document.body.dataset.texts);
const input = document.getElementById("picture");
const said = document.getElementById("said");
const canvas = document.getElementById("seen");
let own = texts.wait;
let wrong = "";

function show() {
  said.textContent = wrong || own;
}

function say(text) {
  own = text;
  show();
}

async function post(path, body, type) {
  const response = await fetch(`/camera/${path}`, {
    method: "POST", body, headers: { "content-type": type }, cache: "no-store", signal: AbortSignal.timeout(LATE_MS),
  });
  if (response.ok) return "";
  return (await response.json().catch(() => ({}))).error ?? texts.network;
}

// Asks until the table answers, also whether this phone is known from before; a code is used up by it.
async function pair() {
  const refused = await post("pair", JSON.stringify({ code: location.hash.slice(1) }), "application/json")
    .catch(() => texts.network);
  input.disabled = Boolean(refused);
  say(refused);
  if (!refused) history.replaceState(null, "", location.pathname);
}

async function reduced(file) {
  const picture = await createImageBitmap(file);
  const scale = Math.min(1, LONGEST / Math.max(picture.width, picture.height));
  canvas.width = Math.round(picture.width * scale);
  canvas.height = Math.round(picture.height * scale);
  const context = canvas.getContext("2d");
  context.imageSmoothingQuality = "high";
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  picture.close();
  canvas.hidden = false;
  for (const quality of QUALITIES) {
    const jpeg = await new Promise((done) => { canvas.toBlob(done, "image/jpeg", quality); });
    if (jpeg && jpeg.size <= MOST_BYTES) return jpeg;
  }
  throw new DOMException("", "EncodingError");
}

async function send() {
  const [file] = input.files;
  input.value = "";
  if (!file) return;
  wrong = "";
  say(texts.sending);
  input.disabled = true;
  let jpeg;
  try {
    jpeg = await reduced(file);
  } catch {
    say(texts.no_picture);
  }
  if (jpeg) say(await post("photograph", jpeg, "image/jpeg").catch(() => texts.network) || texts.sent);
  input.disabled = false;
}

// What the table waits for, and what it says of the last picture. It may wait for the first one to begin.
function follow() {
  const events = new EventSource("/events");
  events.addEventListener("state", ({ data }) => {
    const state = JSON.parse(data);
    document.getElementById("todo").textContent = [...(state.happened ?? []), state.todo].join(" ");
    wrong = state.question?.text ?? state.wrong;
    show();
  });
}

input.addEventListener("change", send);
addEventListener("hashchange", pair);
pair();
follow();
