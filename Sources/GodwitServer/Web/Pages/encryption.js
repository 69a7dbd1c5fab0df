// The encryption of OwnTracks messages of a device: the key, and whether the app must use it.

import { change, get } from "/api.js";
import { action, form, make, part, toast } from "/elements.js";

// null for users who may not change it, and for devices with another app.
export async function encryptionPart(device, redraw) {
  const path = `/api/v1/devices/${encodeURIComponent(device.name)}/owntracks-key`;
  const state = await get(path).catch(() => null);
  if (!state || !(state.set || /owntracks/i.test(device.agent ?? ""))) return null;
  const text = state.sealed_only ? "Only messages that are encrypted with the key are accepted."
    : state.set ? "Encrypted and plain messages are accepted." : "The app's messages are not encrypted. Enter the key that is set in the app.";
  const actions = state.set ? make("p", { className: "row" },
    action(state.sealed_only ? "Accept plain messages too" : "Accept only encrypted messages", `Encryption of ${device.name}`, async () => {
      await change("PUT", path, { sealed_only: !state.sealed_only });
    }, redraw),
    action("Remove the key", `Remove the key of ${device.name}`, async () => {
      await change("DELETE", path);
    }, redraw, { danger: true })) : null;
  const entry = form([make("label", {}, "Key", make("input", { name: "key", type: "password", autocomplete: "off", required: true, maxLength: 255 })),
    make("label", { className: "check" }, make("input", { name: "sealed", type: "checkbox", checked: state.sealed_only }), "Accept only encrypted messages")],
  state.set ? "Replace the key" : "Save", async (made) => {
    await change("PUT", path, { key: made.elements.key.value, sealed_only: made.elements.sealed.checked });
    toast("Saved.");
    await redraw();
  });
  return part("OwnTracks encryption", text, actions, entry);
}
