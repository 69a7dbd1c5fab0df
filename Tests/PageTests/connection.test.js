import assert from "node:assert/strict";
import { test } from "node:test";

// Stand-ins for the chosen time zone and for the message of a page, which the modules read when they are loaded.
const message = { textContent: "" };
const box = { firstElementChild: message, hidden: true, querySelector: () => ({ addEventListener() {} }) };
Object.assign(document, { body: { dataset: {}, matches: () => false }, getElementById: () => box });
document.documentElement.dataset.timeZone = "Asia/Tokyo";
const { found, lost, whenBack } = await import("/connection.js");

test("the time of a stored state is in the chosen time zone", (context) => {
  let now = 0;
  context.mock.method(performance, "now", () => now);
  lost(Date.parse("2026-05-04T18:05:00Z"));
  assert.match(message.textContent, /5 May 2026, 03:05;/);
  now = 1000;
  found();
  assert.equal(message.textContent, "");
});

test("a request that always fails beside one that succeeds is repeated at growing pauses", async (context) => {
  let now = 100_000;
  context.mock.method(performance, "now", () => now);
  context.mock.timers.enable({ apis: ["setTimeout"] });
  context.mock.method(globalThis, "fetch", async () => new Response("{}"));
  let runs = 0;
  whenBack(() => {
    runs += 1;
    if (runs > 1000) return;
    lost();
    found();
  });
  lost();
  found();
  const perMinute = [];
  for (let minute = 0; minute < 2; minute++) {
    const before = runs;
    for (let second = 0; second < 60; second++) {
      now += 1000;
      context.mock.timers.tick(1000);
      for (let step = 0; step < 20; step++) await Promise.resolve();
    }
    perMinute.push(runs - before);
  }
  assert.ok(perMinute[0] >= 3 && perMinute[0] <= 10 && perMinute[1] >= 3 && perMinute[1] <= 5, `${perMinute}`);
});
