import assert from "node:assert/strict";
import { suite, test } from "node:test";

import { MAXIMUM_AGE, isFresh, isOwn, kind, owner, ownDevices, slot } from "/offline-store.js";

const origin = "https://godwit.example";
const of = (path, more = {}) => kind({ method: "GET", url: origin + path, mode: "cors", origin, ...more });

suite("the kind of a request for the service worker", () => {
  for (const [path, expected] of [
    ["/map.js", "file"], ["/base.css", "file"], ["/icon-192.png", "file"], ["/fonts/Noto%20Sans/0-255.pbf", "file"],
    ["/api/v1/session", "day"], ["/api/v1/tracks?device=phone&from=2026-05-04T00:00:00Z", "day"],
    ["/api/v1/devices/my%20phone/time-zone", "day"], ["/api/v1/timeline/corrections?device=phone", "day"], ["/api/v1/devices/phone/tokens", null],
    ["/api/v1/events", null], ["/api/v1/tokens", null], ["/api/v1/shared/SECRET", null], ["/api/openapi.json", null],
  ]) {
    test(`${path}: ${expected ?? "nothing"}`, () => assert.equal(of(path), expected));
  }
  for (const [path, expected] of [
    ["/", "page"], ["/timeline?day=2026-05-04", "page"], ["/sign-in?next=%2F", null], ["/login", null], ["/s/SECRET", null],
    ["/?token=SECRET", null], ["/api", null],
  ]) {
    test(`a visit to ${path}: ${expected ?? "nothing"}`, () => assert.equal(of(path, { mode: "navigate" }), expected));
  }
  test("requests to other servers are ignored", () => {
    assert.equal(kind({ method: "GET", url: "https://tiles.example/1/2/3.png", mode: "cors", origin }), null);
  });
  for (const [method, path] of [
    ["DELETE", "/api/v1/session"], ["POST", "/api/v1/session"], ["POST", "/api/v1/login"], ["DELETE", "/api/v1/sessions?others=true"],
    ["DELETE", "/api/v1/sessions/7"], ["POST", "/api/v1/password"], ["POST", "/api/v1/session/passkey"], ["POST", "/api/v1/session/openid"],
  ]) {
    test(`${method} ${path} deletes the stored data`, () => assert.equal(of(path, { method }), "session"));
  }
  test("other changes are ignored", () => assert.equal(of("/api/v1/devices", { method: "POST" }), null));
  test("a shared file is received", () => assert.equal(of("/import/shared", { method: "POST", mode: "navigate" }), "shared"));
});

suite("the stored data", () => {
  test("the next day of a device replaces the day before, and another device has its own", () => {
    const day = (device, from) => slot(`${origin}/api/v1/tracks?device=${device}&from=${from}`);
    assert.equal(day("phone", "2026-05-04"), day("phone", "2026-05-05"));
    assert.notEqual(day("phone", "2026-05-04"), day("bike", "2026-05-04"));
  });
  test("a session is a user's, the administrator's, or none", () => {
    assert.equal(owner({ user: { name: "ana" }, administrator: true }), "user ana");
    assert.equal(owner({ user: null, administrator: true }), "administrator");
    assert.equal(owner({ user: null, administrator: false }), "");
  });
  test("devices of friends and their tracks are not stored", () => {
    const list = ownDevices({ devices: [{ name: "phone", access: "all" }, { name: "bens", access: "live" }], more: 1 });
    assert.deepEqual(list, { devices: [{ name: "phone", access: "all" }], more: 1 });
    assert.equal(isOwn(`${origin}/api/v1/tracks?device=phone`, ["phone"]), true);
    assert.equal(isOwn(`${origin}/api/v1/tracks?device=bens`, ["phone"]), false);
    assert.equal(isOwn(`${origin}/api/v1/session`, []), true);
  });
  test("a response is shown for a week; a response with a time in the future is not", () => {
    assert.equal(isFresh("1000", 1000 + MAXIMUM_AGE), true);
    assert.equal(isFresh("1000", 1001 + MAXIMUM_AGE), false);
    assert.equal(isFresh("1000", 999), false);
    assert.equal(isFresh(null, NaN), false);
  });
});
