// The form of a webhook: its URL, its types of events, and a filter of devices and regions.

import { form, make } from "/elements.js";
import { t } from "/texts.js";

// The types of events by subject.
/** @type {[string, Object<string, string>][]} */
export const TYPES = [
  [t("Regions"), { "geofence.entered": t("A device entered a region"), "geofence.exited": t("A device left a region"), "geofence.dwelled": t("A device stayed in a region"), "geofence.crossed": t("A device crossed a region") }],
  [t("Beacons"), { "beacon.entered": t("A device came near a beacon"), "beacon.exited": t("A device left a beacon"), "beacon.dwelled": t("A device stayed near a beacon") }],
  [t("Devices"), { "device.silent": t("A device is overdue"), "device.heard": t("A device reports again") }],
  [t("Accounts"), {
    "account.signed_in": t("A sign-in from a new browser"), "account.token_created": t("A token was created"),
    "account.password_changed": t("A password was changed"), "account.second_factor_removed": t("A second factor was removed"),
    "account.passkey_added": t("A passkey was added"), "account.passkey_removed": t("A passkey was removed"), "account.passkey_rejected": t("A passkey was rejected"),
  }],
];
const NAMED_ONLY = "account.";

// The words of a text separated by commas.
const words = (text) => text.split(",").map((word) => word.trim()).filter(Boolean);

// The types of events that a webhook receives; an empty list means all but those of accounts.
export const typesOf = (webhook) =>
  webhook.types.length ? webhook.types : TYPES.flatMap(([, types]) => Object.keys(types)).filter((type) => !type.startsWith(NAMED_ONLY));

// The types of a webhook that the form does not show, such as those of a newer server. The form keeps them.
export const otherTypesOf = (webhook) => webhook.types.filter((type) => !TYPES.some(([, types]) => type in types));

// The form's values as the API expects them. All types but those of accounts are stored as an empty list, which also includes future types.
export function webhookOf(values) {
  const all = typesOf({ types: [] });
  const isDefault = values.types.length === all.length && all.every((type) => values.types.includes(type));
  return {
    url: values.url.trim(), types: isDefault ? [] : values.types, devices: words(values.devices), regions: words(values.regions),
    tags: words(values.tags), format: values.format,
    positions: values.format === "home-assistant" && values.positions !== "" ? Number(values.positions) : null,
    batch: values.format === "godwit" && values.batch !== "" ? Number(values.batch) : 1,
  };
}

// The form of a webhook; `run` is called with the webhook on submission.
export function webhookForm(webhook, label, run) {
  const chosen = new Set(typesOf(webhook));
  const groups = TYPES.map(([title, types]) => make("fieldset", {}, make("legend", { textContent: title }),
    make("div", { className: "choices" }, Object.entries(types).map(([type, text]) =>
      make("label", {}, make("input", { type: "checkbox", name: "types", value: type, checked: chosen.has(type) }), text)))));
  const format = make("select", { name: "format" }, new Option(t("Godwit (signed JSON)"), "godwit"), new Option(t("Home Assistant (OwnTracks)"), "home-assistant"));
  format.value = webhook.format ?? "godwit";
  const positions = make("label", {}, t("Also send positions, at most every (s)"),
    make("input", { name: "positions", type: "number", min: "1", placeholder: t("none"), value: webhook.positions ?? "" }));
  const batch = make("label", {}, t("Events in a request, at most"),
    make("input", { name: "batch", type: "number", min: "1", max: "1000", placeholder: "1", value: webhook.batch > 1 ? webhook.batch : "" }));
  const show = () => {
    positions.hidden = format.value !== "home-assistant";
    batch.hidden = !positions.hidden;
  };
  format.addEventListener("change", show);
  show();
  const list = (name, text, hint) => make("label", {}, text, make("input", { name, placeholder: hint, value: (webhook[name] ?? []).join(", ") }));
  return form([
    make("label", {}, t("Address"), make("input", { name: "url", type: "url", required: true, placeholder: "https://example.org/hook", value: webhook.url ?? "" })),
    ...groups,
    list("devices", t("Devices"), t("all")), list("regions", t("Regions (IDs)"), t("all")), list("tags", t("Tags of regions"), t("all")),
    make("label", {}, t("Format"), format), positions, batch,
  ], label, (made) => {
    const { elements } = made;
    const values = Object.fromEntries(["url", "devices", "regions", "tags", "format", "positions", "batch"].map((name) => [name, elements[name].value]));
    values.types = [...elements.types].filter(({ checked }) => checked).map(({ value }) => value).concat(otherTypesOf(webhook));
    if (!values.types.length) throw Object.assign(new Error(t("Choose at least one event.")), { at: "types" });
    return run(webhookOf(values));
  });
}
