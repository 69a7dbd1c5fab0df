// The pages as an installed app: the service worker, the install button, and files that other apps share.

import { SHARED } from "/offline-store.js";

// Registers the service worker if the page has a secure context, and makes it store the files that this page loaded.
export async function beWebApp() {
  if (!isSecureContext || !("serviceWorker" in navigator)) return;
  try {
    await navigator.serviceWorker.register("/service-worker.js", { type: "module" });
    const { active } = await navigator.serviceWorker.ready;
    const files = performance.getEntriesByType("resource").map(({ name }) => name);
    active.postMessage({ keep: [...new Set(files)] });
  } catch {
    // Without a service worker the pages work, but not offline.
  }
}

let offered = null;
addEventListener("beforeinstallprompt", (event) => {
  event.preventDefault();
  offered = event;
  dispatchEvent(new Event("godwit-installable"));
});

// Whether the browser offers to install the page as an app.
export const isInstallable = () => offered !== null;

// Shows the browser's install prompt. Resolves to whether it was accepted.
export async function install() {
  if (!offered) return false;
  const { outcome } = await offered.prompt();
  offered = null;
  return outcome === "accepted";
}

// Returns the files that another app shared. They stay in the cache until `forget` is called.
export async function sharedFiles() {
  if (!("caches" in globalThis)) return { files: [], forget: async () => {} };
  const cache = await caches.open(SHARED);
  const files = [];
  const requests = await cache.keys();
  for (const request of requests) {
    const answer = await cache.match(request);
    const name = decodeURIComponent(answer.headers.get("X-Name"));
    files.push(new File([await answer.blob()], name, { type: answer.headers.get("Content-Type") }));
  }
  return { files, forget: async () => { for (const request of requests) await cache.delete(request); } };
}
