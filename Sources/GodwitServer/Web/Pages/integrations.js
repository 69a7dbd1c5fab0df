// The page of integrations for administrators: webhooks, their deliveries, the MQTT broker, and the mirror.

import { change, get, isSentToDoor } from "/api.js";
import { action as button, element, make, part, table, toast, when } from "/elements.js";
import { duration, isolated, number } from "/format.js";
import { pieces, plural, t } from "/texts.js";
import { TYPES, webhookForm } from "/webhook-form.js";

const NAMES = Object.assign({}, ...TYPES.map(([, types]) => types));
const action = (text, label, run, options) => button(text, label, run, () => draw(), options);
const name = (text) => make("bdi", { textContent: text });

// MARK: Webhooks

// The secret of a new webhook; shown until the page is left.
let fresh = null;

function about(webhook) {
  const types = webhook.types.length ? webhook.types.map((type) => NAMES[type] ?? type).join(", ") : t("All events of regions, beacons and devices");
  const only = Object.entries({
    devices: (names) => t("of devices {names}", { names }), regions: (names) => t("of regions {names}", { names }),
    tags: (names) => t("of regions with the tags {names}", { names }),
  }).filter(([key]) => webhook[key].length).map(([key, text]) => text(webhook[key].map(isolated).join(", ")));
  return [types, ...only].join(" · ");
}

function deliveryText({ enabled, note, delivered, pending, failed }) {
  if (!enabled) return note ? t("Disabled: {note}", { note }) : t("Disabled");
  const parts = [delivered ? t("Last delivery {time}", { time: when(delivered) }) : t("No delivery yet")];
  if (pending) parts.push(t("Pending: {n}", { n: pending }));
  if (failed) parts.push(t("Failed: {n}", { n: failed }));
  return parts.join(" · ");
}

function edit(webhook) {
  const box = make("dialog", {}, make("h2", { textContent: t("Change webhook") }),
    webhookForm(webhook, t("Save"), async (values) => {
      await change("PUT", `/api/v1/webhooks/${webhook.id}`, values);
      box.close();
      toast(t("Saved."));
      await draw();
    }), make("button", { type: "button", textContent: t("Cancel"), onclick: () => box.close() }));
  box.setAttribute("aria-label", t("Change webhook"));
  box.addEventListener("close", () => box.remove());
  document.body.append(box);
  box.showModal();
}

function webhookEntry(webhook) {
  const path = `/api/v1/webhooks/${webhook.id}`;
  const change_ = make("button", { type: "button", textContent: t("Change"), onclick: () => edit(webhook) });
  change_.setAttribute("aria-label", t("Change the webhook to {url}", { url: webhook.url }));
  return make("div", { className: "hook" }, make("h3", {}, name(webhook.url)), make("p", { textContent: about(webhook) }),
    make("p", { className: webhook.failed || (!webhook.enabled && webhook.note) ? "warn" : "", textContent: deliveryText(webhook) }),
    make("p", { className: "row" }, change_,
      action(webhook.enabled ? t("Disable") : t("Enable"), webhook.enabled ? t("Disable the webhook to {url}", { url: webhook.url }) : t("Enable the webhook to {url}", { url: webhook.url }), async () => {
        await change("PUT", path, { enabled: !webhook.enabled });
        return webhook.enabled ? t("Disabled.") : t("Enabled.");
      }),
      action(t("Delete"), t("Delete the webhook to {url}", { url: webhook.url }), async () => {
        await change("DELETE", path);
        return t("Deleted, with its deliveries.");
      }, { danger: true })));
}

async function webhooksPart() {
  const { webhooks } = await get("/api/v1/webhooks");
  const secret = fresh && make("div", { className: "secret", tabIndex: -1, id: "new-secret" },
    t("The secret that signs the requests. Copy it now, it won't be shown again."), make("code", { textContent: fresh }));
  return part(t("Webhooks"), t("The server sends a request to your address when something happens."), secret,
    webhooks.length ? webhooks.map(webhookEntry) : make("p", { className: "none", textContent: t("No webhooks yet.") }));
}

const addPart = () => part(t("Add a webhook"), null, webhookForm({ types: [] }, t("Create webhook"), async (values) => {
  const made = await change("POST", "/api/v1/webhooks", values);
  fresh = made.secret;
  await draw();
  element("new-secret").focus();
  element("new-secret").scrollIntoView({ block: "center" });
}));

// MARK: Deliveries

async function deliveriesPart() {
  const { deliveries } = await get("/api/v1/webhook-deliveries?limit=50");
  if (!deliveries.length) return null;
  return part(t("Deliveries that have not arrived"), t("Events wait here until their webhook accepts them."),
    table([t("Event"), t("Time"), t("State"), t("Answer"), ""], deliveries.map((delivery) => {
      const type = delivery.event.type ?? "";
      const path = `/api/v1/webhook-deliveries/${delivery.id}`;
      const state = delivery.state === "failed" ? t("failed {time}", { time: when(delivery.failed) }) : t("next attempt {time}", { time: when(delivery.next_attempt) });
      return [
        make("span", {}, NAMES[type] ?? type, make("small", {}, delivery.event.device ? name(delivery.event.device) : null)), when(delivery.created),
        make("span", { className: delivery.state === "failed" ? "warn" : "" }, state, make("small", { textContent: plural(delivery.attempts, "{n} attempt", "{n} attempts") })),
        delivery.problem ? name(delivery.problem) : null,
        make("span", { className: "row" }, action(t("Send again"), t("Send delivery {id} again", { id: delivery.id }), async () => {
          await change("POST", `${path}/retry`);
          return t("It is sent again.");
        }), delivery.state === "failed" ? action(t("Discard"), t("Discard delivery {id}", { id: delivery.id }), async () => {
          await change("DELETE", path);
          return t("Discarded.");
        }, { danger: true }) : null),
      ];
    }), ""));
}

// MARK: MQTT

const STATES = {
  idle: t("Not connected yet"), connecting: t("Connecting…"), connected: t("Connected"), waiting: t("Not connected"), stopped: t("Stopped"), off: t("Off"),
};

// A list of facts, and a function that adds one.
function factList() {
  const facts = make("dl", { className: "facts" });
  return [facts, (title, value) => facts.append(make("div", {}, make("dt", { textContent: title }), make("dd", {}, value)))];
}

async function assign(topic, device) {
  await change("PUT", `/api/v1/devices/${encodeURIComponent(device)}/mqtt-topics`, { topic });
  return t("{topic} belongs to {device}.", { topic: isolated(topic), device: isolated(device) });
}

function unassigned({ topic, messages, first, last }, devices) {
  const choice = make("select", {}, devices.map((device) => new Option(device, device)));
  choice.setAttribute("aria-label", t("Device of {topic}", { topic }));
  return [name(topic), plural(messages, "{n} message", "{n} messages", { n: number(messages) }), `${when(first)} – ${when(last)}`,
    make("span", { className: "row" }, devices.length ? choice : null,
      devices.length ? action(t("Assign"), t("Assign {topic} to the chosen device", { topic }), () => assign(topic, choice.value)) : null,
      action(t("Delete"), t("Delete the messages of {topic}", { topic }), async () => {
        await change("DELETE", `/api/v1/mqtt/unassigned-topics?${new URLSearchParams({ topic })}`);
        return t("Deleted.");
      }, { danger: true }))];
}

async function mqttPart() {
  const [mqtt, { devices }] = await Promise.all([get("/api/v1/mqtt"), get("/api/v1/devices")]);
  if (mqtt.state === "off" && !mqtt.topics.length && !mqtt.waiting.length) {
    return part("MQTT", null, make("p", {}, ...pieces("OwnTracks apps can also send through an MQTT broker. Start the server with {option} and the broker's address to receive from it.", { option: make("code", { textContent: "--mqtt" }) })));
  }
  const [facts, fact] = factList();
  fact(t("State"), STATES[mqtt.state] ?? mqtt.state);
  if (mqtt.broker) fact(t("Broker"), name(mqtt.broker));
  if (mqtt.since) fact(t("Since"), when(mqtt.since));
  for (const [title, value] of [[t("Received"), mqtt.received], [t("Rejected"), mqtt.rejected], [t("Published"), mqtt.published]]) {
    if (value !== undefined) fact(title, number(value));
  }
  const names = devices.filter(({ access }) => access === "all").map((device) => device.name);
  return part("MQTT", null, facts,
    mqtt.problem ? make("p", { className: "problem" }, name(mqtt.problem), mqtt.next_try ? ` – ${t("next attempt {time}", { time: when(mqtt.next_try) })}` : "") : null,
    mqtt.waiting.length ? [make("h3", { textContent: t("Topics without a device") }),
      table([t("Topic"), t("Messages"), t("Received"), ""], mqtt.waiting.map((topic) => unassigned(topic, names)), "")] : null,
    make("h3", { textContent: t("Topics") }),
    table([t("Topic"), t("Device"), ""], mqtt.topics.map(({ topic, device, source }) => [
      name(topic), make("span", {}, name(device), make("small", { textContent: { manual: t("assigned"), name: t("by its name"), automatic: t("the only device") }[source] ?? source })),
      action(t("Remove"), t("Remove {topic} from {device}", { topic, device }), async () => {
        await change("DELETE", `/api/v1/devices/${encodeURIComponent(device)}/mqtt-topics?${new URLSearchParams({ topic })}`);
        return t("Removed.");
      }, { danger: true }),
    ]), t("No topics yet.")));
}

// MARK: The mirror

function mirrorState({ delay, pending_changes, uncopied_devices, succeeded }) {
  if (pending_changes) return t("{time} behind", { time: delay < 60 ? `${number(delay)}\u00a0s` : duration(delay * 1000) });
  if (!succeeded) return t("No connection yet");
  return uncopied_devices ? t("Copying the history") : t("Up to date");
}

async function mirrorPart() {
  const mirror = await get("/api/v1/mirror");
  if (!mirror.url) {
    return part(t("Mirror"), null, make("p", {}, ...pieces("Another Godwit server can have a copy of all records. Start this server with {option} and the address of the other one.", { option: make("code", { textContent: "--mirror" }) })));
  }
  const [facts, fact] = factList();
  fact(t("State"), mirrorState(mirror));
  fact(t("Server"), name(mirror.url));
  fact(t("Last success"), mirror.succeeded ? when(mirror.succeeded) : t("none yet"));
  if (mirror.pending_records) fact(t("Records to send"), number(mirror.pending_records));
  if (mirror.uncopied_devices) fact(t("Devices to copy"), number(mirror.uncopied_devices));
  fact(t("Sent"), number(mirror.stored));
  if (mirror.rejected) fact(t("Rejected"), number(mirror.rejected));
  return part(t("Mirror"), null, facts,
    mirror.problem ? make("p", { className: "problem" }, name(mirror.problem), mirror.failed ? ` – ${when(mirror.failed)}` : "",
      mirror.next_attempt ? ` – ${t("next attempt {time}", { time: when(mirror.next_attempt) })}` : "") : null);
}

// MARK: The page

let drawn = 0;

async function draw() {
  drawn += 1;
  const mine = drawn;
  let parts;
  try {
    const { administrator } = await get("/api/v1/session");
    parts = administrator
      ? await Promise.all([webhooksPart(), deliveriesPart(), addPart(), mqttPart(), mirrorPart()])
      : [part(t("Integrations"), t("Webhooks, the MQTT broker and the mirror belong to administrators of this server."))];
  } catch (error) {
    if (isSentToDoor(error)) return;
    parts = [make("p", { className: "problem", textContent: error.message })];
  }
  if (mine !== drawn) return;
  element("view").replaceChildren(...parts.filter(Boolean));
  document.body.dataset.state = "ready";
}

const isBusy = () => document.activeElement?.matches("input, select") || document.querySelector("dialog[open], button[disabled]") || fresh;
setInterval(() => { if (!document.hidden && !isBusy()) draw(); }, 30000);
await draw();
