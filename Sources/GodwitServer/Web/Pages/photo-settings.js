// The part of the account page for the user's Immich server.

import { change, get } from "/api.js";
import { action, form, make, named, part, toast, when } from "/elements.js";
import { pieces, t } from "/texts.js";

const field = (label, hint, properties) =>
  make("label", {}, label, make("input", properties), hint ? make("small", { textContent: hint }) : null);

// `redraw()` redraws the part.
export async function photoSettings(redraw) {
  const { address, stored } = await get("/api/v1/photos/server");
  const entered = form([make("div", { className: "fields wide" },
    field(t("Address of Immich"), t("The address that opens Immich in your browser."),
      { name: "address", type: "url", required: true, value: address ?? "", placeholder: "https://photos.example.org", autocapitalize: "none", spellcheck: false }),
    field(t("API key"), t("Immich: Account settings, API keys. It needs the permissions asset.read and asset.view."),
      { name: "key", type: "password", required: true, autocomplete: "off", placeholder: address ? t("enter a new key to change it") : "" }))],
  address ? t("Save") : t("Connect"), async ({ elements }) => {
    await change("PUT", "/api/v1/photos/server", { address: elements.address.value, key: elements.key.value });
    toast(t("Connected. Your photos appear on the timeline and the map."));
    await redraw();
  });
  const state = address
    ? make("p", { className: "state" }, ...pieces("Connected to {address} since {time}.", { address: named(address), time: when(stored) }), " ",
      action(t("Disconnect"), t("Disconnect from {address}", { address }), async () => {
        await change("DELETE", "/api/v1/photos/server");
        return t("Disconnected. The key is deleted.");
      }, redraw, { danger: true }))
    : null;
  return [
    part(t("Photos"), t("Photos from your Immich server appear beside your visits and on your map. Only you see them: not friends, and not share links. Godwit fetches them, so your browser contacts no other server."),
      state, entered,
      make("p", { className: "hint", textContent: t("The key is stored on this server and never shown again. Godwit follows Immich's published API description; it was not tried with a real Immich server.") })),
  ];
}
