// The encryption of OwnTracks messages of a device: the key, and whether the app must use it.

import { change, get } from "/api.js";
import { action, form, make, part, toast } from "/elements.js";
import { t } from "/texts.js";

// Returns null for users who may not change the encryption, and for devices with another app.
export async function encryptionPart(device, redraw) {
  const path = `/api/v1/devices/${encodeURIComponent(device.name)}/owntracks-key`;
  const state = await get(path).catch(() => null);
  if (!state || !(state.set || /owntracks/i.test(device.agent ?? ""))) return null;
  const text = state.sealed_only ? t("Only messages that are encrypted with the key are accepted.")
    : state.set ? t("Encrypted and plain messages are accepted.") : t("The app's messages are not encrypted. Enter the key that is set in the app.");
  const actions = state.set ? make("p", { className: "row" },
    action(state.sealed_only ? t("Accept plain messages too") : t("Accept only encrypted messages"), t("Encryption of {name}", { name: device.name }), async () => {
      await change("PUT", path, { sealed_only: !state.sealed_only });
    }, redraw),
    action(t("Remove the key"), t("Remove the key of {name}", { name: device.name }), async () => {
      await change("DELETE", path);
    }, redraw, { danger: true })) : null;
  const entry = form([make("label", {}, t("Key"), make("input", { name: "key", type: "password", autocomplete: "off", required: true, maxLength: 255 })),
    make("label", { className: "check" }, make("input", { name: "sealed", type: "checkbox", checked: state.sealed_only }), t("Accept only encrypted messages"))],
  state.set ? t("Replace the key") : t("Save"), async (made) => {
    await change("PUT", path, { key: made.elements.key.value, sealed_only: made.elements.sealed.checked });
    toast(t("Saved."));
    await redraw();
  });
  return part(t("OwnTracks encryption"), text, actions, entry);
}
