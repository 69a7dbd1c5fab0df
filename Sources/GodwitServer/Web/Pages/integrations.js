// The page of integrations: webhooks, their deliveries, and the MQTT broker. For administrators.

import { change, get, isSentToDoor } from "/api.js";
import { action as button, element, make, part, table, toast, when } from "/elements.js";
import { count } from "/format.js";
import { TYPES, webhookForm } from "/webhook-form.js";

const NAMES = Object.assign({}, ...TYPES.map(([, types]) => types));
const action = (text, label, run, options) => button(text, label, run, () => draw(), options);
const name = (text) => make("bdi", { textContent: text });

// MARK: Webhooks

// The secret of a webhook that was just created; it is shown until the page shows something else.
let fresh = null;

function about(webhook) {
  const types = webhook.types.length ? webhook.types.map((type) => NAMES[type] ?? type).join(", ") : "All events of regions, beacons and devices";
  const only = [["devices", "of devices"], ["regions", "of regions"], ["tags", "of regions with the tags"]]
    .filter(([key]) => webhook[key].length).map(([key, text]) => `${text} ${webhook[key].join(", ")}`);
  return [types, ...only].join(" · ");
}

function deliveryText({ enabled, note, delivered, pending, failed }) {
  if (!enabled) return note ? `Disabled: ${note}` : "Disabled";
  const parts = [delivered ? `Last delivery ${when(delivered)}` : "No delivery yet"];
  if (pending) parts.push(`${pending} pending`);
  if (failed) parts.push(`${failed} failed`);
  return parts.join(" · ");
}

function edit(webhook) {
  const box = make("dialog", {}, make("h2", { textContent: "Change webhook" }),
    webhookForm(webhook, "Save", async (values) => {
      await change("PUT", `/api/v1/webhooks/${webhook.id}`, values);
      box.close();
      toast("Saved.");
      await draw();
    }), make("button", { type: "button", textContent: "Cancel", onclick: () => box.close() }));
  box.setAttribute("aria-label", "Change webhook");
  box.addEventListener("close", () => box.remove());
  document.body.append(box);
  box.showModal();
}

function webhookEntry(webhook) {
  const path = `/api/v1/webhooks/${webhook.id}`;
  const change_ = make("button", { type: "button", textContent: "Change", onclick: () => edit(webhook) });
  change_.setAttribute("aria-label", `Change the webhook to ${webhook.url}`);
  return make("div", { className: "hook" }, make("h3", {}, name(webhook.url)), make("p", { textContent: about(webhook) }),
    make("p", { className: webhook.failed || (!webhook.enabled && webhook.note) ? "warn" : "", textContent: deliveryText(webhook) }),
    make("p", { className: "row" }, change_,
      action(webhook.enabled ? "Disable" : "Enable", `${webhook.enabled ? "Disable" : "Enable"} the webhook to ${webhook.url}`, async () => {
        await change("PUT", path, { enabled: !webhook.enabled });
        return webhook.enabled ? "Disabled." : "Enabled.";
      }),
      action("Delete", `Delete the webhook to ${webhook.url}`, async () => {
        await change("DELETE", path);
        return "Deleted, with its deliveries.";
      }, { danger: true })));
}

async function webhooksPart() {
  const { webhooks } = await get("/api/v1/webhooks");
  const secret = fresh && make("div", { className: "secret", tabIndex: -1, id: "new-secret" },
    "The secret that signs the requests. Copy it now, it won't be shown again.", make("code", { textContent: fresh }));
  return part("Webhooks", "The server sends a request to your address when something happens.", secret,
    webhooks.length ? webhooks.map(webhookEntry) : make("p", { className: "none", textContent: "No webhooks yet." }));
}

const addPart = () => part("Add a webhook", null, webhookForm({ types: [] }, "Create webhook", async (values) => {
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
  return part("Deliveries that have not arrived", "Events wait here until their webhook accepts them.",
    table(["Event", "Time", "State", "Answer", ""], deliveries.map((delivery) => {
      const type = delivery.event.type ?? "";
      const path = `/api/v1/webhook-deliveries/${delivery.id}`;
      const state = delivery.state === "failed" ? `failed ${when(delivery.failed)}` : `next attempt ${when(delivery.next_attempt)}`;
      return [
        make("span", {}, NAMES[type] ?? type, make("small", {}, delivery.event.device ? name(delivery.event.device) : null)), when(delivery.created),
        make("span", { className: delivery.state === "failed" ? "warn" : "" }, state, make("small", { textContent: count(delivery.attempts, "attempt") })),
        delivery.problem ? name(delivery.problem) : null,
        make("span", { className: "row" }, action("Send again", `Send delivery ${delivery.id} again`, async () => {
          await change("POST", `${path}/retry`);
          return "It is sent again.";
        }), delivery.state === "failed" ? action("Discard", `Discard delivery ${delivery.id}`, async () => {
          await change("DELETE", path);
          return "Discarded.";
        }, { danger: true }) : null),
      ];
    }), ""));
}

// MARK: MQTT

const STATES = {
  idle: "Not connected yet", connecting: "Connecting…", connected: "Connected", waiting: "Not connected", stopped: "Stopped", off: "Off",
};

async function assign(topic, device) {
  await change("PUT", `/api/v1/devices/${encodeURIComponent(device)}/mqtt-topics`, { topic });
  return `${topic} belongs to ${device}.`;
}

function unassigned({ topic, messages, first, last }, devices) {
  const choice = make("select", {}, devices.map((device) => new Option(device, device)));
  choice.setAttribute("aria-label", `Device of ${topic}`);
  return [name(topic), count(messages, "message"), `${when(first)} – ${when(last)}`,
    make("span", { className: "row" }, devices.length ? choice : null,
      devices.length ? action("Assign", `Assign ${topic} to the chosen device`, () => assign(topic, choice.value)) : null,
      action("Delete", `Delete the messages of ${topic}`, async () => {
        await change("DELETE", `/api/v1/mqtt/unassigned-topics?${new URLSearchParams({ topic })}`);
        return "Deleted.";
      }, { danger: true }))];
}

async function mqttPart() {
  const [mqtt, { devices }] = await Promise.all([get("/api/v1/mqtt"), get("/api/v1/devices")]);
  if (mqtt.state === "off" && !mqtt.topics.length && !mqtt.waiting.length) {
    return part("MQTT", "OwnTracks apps can also send through an MQTT broker. Start the server with --mqtt and the broker's address to receive from it.");
  }
  const facts = make("dl", { className: "facts" });
  const fact = (title, value) => facts.append(make("div", {}, make("dt", { textContent: title }), make("dd", {}, value)));
  fact("State", STATES[mqtt.state] ?? mqtt.state);
  if (mqtt.broker) fact("Broker", name(mqtt.broker));
  if (mqtt.since) fact("Since", when(mqtt.since));
  for (const [title, value] of [["Received", mqtt.received], ["Rejected", mqtt.rejected], ["Published", mqtt.published]]) {
    if (value !== undefined) fact(title, value.toLocaleString());
  }
  const names = devices.filter(({ access }) => access === "all").map((device) => device.name);
  return part("MQTT", null, facts,
    mqtt.problem ? make("p", { className: "problem" }, name(mqtt.problem), mqtt.next_try ? ` – next attempt ${when(mqtt.next_try)}` : "") : null,
    mqtt.waiting.length ? [make("h3", { textContent: "Topics without a device" }),
      table(["Topic", "Messages", "Received", ""], mqtt.waiting.map((topic) => unassigned(topic, names)), "")] : null,
    make("h3", { textContent: "Topics" }),
    table(["Topic", "Device", ""], mqtt.topics.map(({ topic, device, source }) => [
      name(topic), make("span", {}, name(device), make("small", { textContent: { manual: "assigned", name: "by its name", automatic: "the only device" }[source] ?? source })),
      action("Remove", `Remove ${topic} from ${device}`, async () => {
        await change("DELETE", `/api/v1/devices/${encodeURIComponent(device)}/mqtt-topics?${new URLSearchParams({ topic })}`);
        return "Removed.";
      }, { danger: true }),
    ]), "No topics yet."));
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
      ? await Promise.all([webhooksPart(), deliveriesPart(), addPart(), mqttPart()])
      : [part("Integrations", "Webhooks and the MQTT broker belong to administrators of this server.")];
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
