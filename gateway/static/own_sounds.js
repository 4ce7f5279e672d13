// The bar's own sounds: their files by what they are for.
const files = new Map(JSON.parse(document.body.dataset.sounds).map((file) => [file.replace(/\.\w+$/, "").toLowerCase(), file]));

// Plays the file for the event, best that of its player or game; false if there is none, or the browser can't decode it.
export async function playOwn(audio, loud, name, after, { event = name, player = "", game = "" }) {
  const wanted = [event, name].flatMap((each) => [`${each}-${player}`, `${each}-${game}`, each]).map((each) => each.toLowerCase());
  const file = files.get(wanted.find((each) => files.has(each)));
  if (!file) return false;
  const answer = await fetch(`/sounds/${encodeURIComponent(file)}`).catch(() => null);
  const buffer = answer?.ok ? await audio.decodeAudioData(await answer.arrayBuffer()).catch(() => null) : null;
  if (!buffer) return false;
  const voice = audio.createBufferSource();
  voice.buffer = buffer;
  voice.connect(loud);
  voice.start(audio.currentTime + after);
  return true;
}
