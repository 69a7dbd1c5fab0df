// The service worker of the pages. With a connection, every request goes to the server first. Without one, the service worker returns the
// last stored pages and responses of the newest day.

import { DAY, KEPT_AT, SHARED, SHELL, isFresh, isOwn, kind, owner, ownDevices, slot } from "/offline-store.js";

// The type checker assumes a page, not a service worker.
const worker = /** @type {any} */ (self);
const PAGE_TIMEOUT = 8000; // milliseconds that a page waits for the server before the stored page is shown

worker.addEventListener("install", (event) => event.waitUntil(worker.skipWaiting()));
worker.addEventListener("activate", (event) => event.waitUntil(activate()));
worker.addEventListener("message", (event) => {
  if (event.data?.keep) event.waitUntil(keepFiles(event.data.keep));
});
worker.addEventListener("fetch", (event) => {
  const { method, url, mode } = event.request;
  const handlers = {
    page: () => shell(event.request, true), file: () => shell(event.request, false), day: () => day(event.request),
    session: () => session(event.request), shared: () => shared(event.request),
  };
  const handler = handlers[kind({ method, url, mode, origin: self.location.origin })];
  if (handler) event.respondWith(handler());
});

async function activate() {
  const known = [SHELL, DAY, SHARED];
  for (const name of await caches.keys()) if (!known.includes(name)) await caches.delete(name);
  await worker.clients.claim();
}

const forget = () => caches.delete(DAY);

// MARK: Pages and their files

async function keepFiles(urls) {
  const cache = await caches.open(SHELL);
  for (const url of urls) {
    if (kind({ method: "GET", url, mode: "", origin: self.location.origin }) !== "file" || (await cache.match(url))) continue;
    await cache.add(url).catch(() => {});
  }
}

async function shell(request, isPage) {
  const cache = await caches.open(SHELL);
  // The page does not depend on its query.
  const key = isPage ? new URL(request.url).pathname : request;
  try {
    const answer = await fetch(request, isPage ? { signal: /** @type {any} */ (AbortSignal).timeout(PAGE_TIMEOUT) } : undefined);
    if (answer.status === 200 && !answer.redirected) await cache.put(key, answer.clone());
    return answer;
  } catch (error) {
    const kept = await cache.match(key);
    if (kept) return kept;
    if (isPage) return (await cache.match("/")) ?? Response.error();
    throw error;
  }
}

// MARK: The newest day

async function day(request) {
  let answer;
  try {
    answer = await fetch(request);
  } catch (error) {
    const kept = await (await caches.open(DAY)).match(request.url);
    if (!kept || !isFresh(kept.headers.get(KEPT_AT), Date.now())) throw error;
    return kept;
  }
  // The session ended, or its token was revoked.
  if (answer.status === 401) await forget();
  if (answer.status === 200) await keep(request.url, answer.clone()).catch(() => {});
  return answer;
}

async function keep(url, answer) {
  const path = new URL(url).pathname;
  let value = await answer.json();
  if (path === "/api/v1/session") {
    const its = owner(value);
    if (!its) return forget();
    const before = await kept("/api/v1/session");
    if (before && owner(before) !== its) await forget();
  }
  if (path === "/api/v1/devices") value = ownDevices(value);
  const list = await kept("/api/v1/devices");
  if (!isOwn(url, (list?.devices ?? []).map(({ name }) => name))) return;
  const cache = await caches.open(DAY);
  for (const { url: other } of await cache.keys()) if (other !== url && slot(other) === slot(url)) await cache.delete(other);
  const headers = { "Content-Type": "application/json", [KEPT_AT]: String(Date.now()) };
  await cache.put(url, new Response(JSON.stringify(value), { headers }));
}

async function kept(path) {
  const answer = await (await caches.open(DAY)).match(new URL(path, self.location.origin).href);
  return answer ? answer.json() : null;
}

// MARK: Sessions

// The stored responses are deleted before a session ends or another one begins.
async function session(request) {
  await forget();
  return fetch(request);
}

// MARK: Files from other apps

async function shared(request) {
  const form = await request.formData();
  const cache = await caches.open(SHARED);
  for (const [index, file] of form.getAll("files").entries()) {
    const headers = { "Content-Type": file.type || "application/octet-stream", "X-Name": encodeURIComponent(file.name || `file ${index + 1}`) };
    await cache.put(`/import/shared/${Date.now()}-${index}`, new Response(file, { headers }));
  }
  return Response.redirect("/import?shared", 303);
}
