import assert from "node:assert/strict";
import { suite, test } from "node:test";

// Stand-ins for the event stream of a browser and for the elements that the module creates.
class Stream extends EventTarget {
  static CLOSED = 2;
  static open = new Set();
  readyState = 1;
  constructor() {
    super();
    Stream.open.add(this);
  }
  close() {
    this.readyState = Stream.CLOSED;
    Stream.open.delete(this);
  }
  send(name, value) {
    this.dispatchEvent(Object.assign(new Event(name), { data: JSON.stringify(value) }));
  }
}
const element = () => ({ dataset: {}, append() {}, setAttribute() {}, replaceChildren() {} });
const page = new EventTarget();
Object.assign(globalThis, { EventSource: Stream, addEventListener: page.addEventListener.bind(page) });
Object.assign(document, { body: element(), createElement: element, hidden: false, addEventListener: page.addEventListener.bind(page) });
let devices = [];
globalThis.fetch = async () => new Response(JSON.stringify({ devices }));

const { stream } = await import("/api.js");
const { firstPoint } = await import("/first-point.js");
const point = (timestamp) => ({ properties: { timestamp } });

suite("the event stream of a page", () => {
  test("it does not open again after its end", () => {
    const end = stream({});
    assert.equal(Stream.open.size, 1);
    end();
    page.dispatchEvent(new Event("visibilitychange"));
    page.dispatchEvent(new Event("pageshow"));
    assert.equal(Stream.open.size, 0);
  });
  test("it is opened again after a long sleep of the device, and not after a short one", ({ mock }) => {
    let now = 0;
    mock.method(Date, "now", () => now);
    mock.timers.enable({ apis: ["setInterval"] });
    const end = stream({});
    const [first] = Stream.open;
    for (const [sleep, isFirst] of [[0, true], [20000, true], [0, true], [8 * 3600000, false]]) {
      now += 5000 + sleep;
      mock.timers.tick(5000);
      assert.equal(Stream.open.size, 1);
      assert.equal(Stream.open.has(first), isFirst);
    }
    end();
    assert.equal(Stream.open.size, 0);
  });
});

suite("elements that wait for the first point", () => {
  test("they share a stream, which closes when all points have arrived", () => {
    const arrived = [];
    const [phone, watch] = ["phone", "watch"].map((name) => firstPoint(name, (time) => arrived.push([name, time])));
    assert.equal(Stream.open.size, 1);
    const [source] = Stream.open;
    source.send("points", { device: "watch", features: [point("1970-01-01T00:00:01Z"), point("1970-01-01T00:00:02Z")] });
    assert.deepEqual([phone.dataset.state, watch.dataset.state, Stream.open.size], ["waiting", "arrived", 1]);
    source.send("points", { device: "watch", features: [point("1970-01-01T00:00:03Z")] });
    source.send("points", { device: "phone", features: [point("1970-01-01T00:00:04Z")] });
    assert.deepEqual(arrived, [["watch", 2000], ["phone", 4000]]);
    assert.equal(Stream.open.size, 0);
  });
  test("points that arrived before are found, also if the stream is already open", async () => {
    const phone = firstPoint("phone");
    devices = [{ name: "watch", last: point("1970-01-01T00:00:05Z") }];
    const watch = firstPoint("watch");
    await new Promise((resolve) => setTimeout(resolve));
    assert.deepEqual([phone.dataset.state, watch.dataset.state], ["waiting", "arrived"]);
    devices = [{ name: "phone", last: point("1970-01-01T00:00:06Z") }];
    const [source] = Stream.open;
    source.dispatchEvent(new Event("open"));
    await new Promise((resolve) => setTimeout(resolve));
    assert.deepEqual([phone.dataset.state, Stream.open.size], ["arrived", 0]);
  });
});
