// Keeps the screen on while it is wanted. Browsers allow it on the machine itself and over TLS only.
let lock = null;

export async function stayAwake(wanted) {
  if (!wanted) {
    await lock?.release().catch(() => null);
    return;
  }
  if (document.hidden || lock) return;
  lock = await navigator.wakeLock?.request("screen").catch(() => null) ?? null;
  lock?.addEventListener("release", () => { lock = null; });
}
