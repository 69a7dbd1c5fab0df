// The part of a device's page that changes the device: name, colour, icon, owner, merge and deletion.

import { change, devices, get } from "/api.js";
import { ask, countsText, deleteDevice, undoNotice } from "/deletion.js";
import { ICON_NAMES, icons } from "/device-icons.js";
import { action, form, make, part, toast } from "/elements.js";
import { pieces, t } from "/texts.js";

const path = (name) => `/api/v1/devices/${encodeURIComponent(name)}`;
const bdi = (text) => make("bdi", { textContent: text });
// Distinguishable for most people with impaired colour vision, and visible on light and dark maps.
const colors = ["#0b6e6e", "#2f6fd0", "#7a4fc0", "#c2417f", "#d1495b", "#d9772b", "#b08a00", "#4f8a2f", "#5b6b73"];
const colorNames = [t("Teal"), t("Blue"), t("Violet"), t("Pink"), t("Red"), t("Orange"), t("Gold"), t("Green"), t("Grey")];

// The icon of a device: an SVG of lines in the text's colour.
export function picture(name) {
  const drawing = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  drawing.setAttribute("viewBox", "0 0 24 24");
  drawing.setAttribute("class", "picture");
  drawing.setAttribute("aria-hidden", "true");
  const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
  line.setAttribute("d", icons[name] ?? icons.tag);
  drawing.append(line);
  return drawing;
}

// The mark of a device in lists: its icon or a dot, in its colour.
/** @param {{ color?: string | null, icon?: string | null }} [look] */
export function deviceMark(look) {
  const { color, icon } = look ?? {};
  const mark = make("span", { className: "device-mark" }, icon ? picture(icon) : null);
  mark.style.setProperty("--own", color ?? "var(--track)");
  return mark;
}

function choice(name, value, isChosen, label, content) {
  const input = make("input", { type: "radio", name, value, checked: isChosen });
  const made = make("label", { className: "choice", title: label }, input, content);
  input.setAttribute("aria-label", label);
  return made;
}

function lookPart(device, look, redraw) {
  const dot = (color) => {
    const made = make("i", { className: "swatch" });
    if (color) made.style.setProperty("--own", color);
    else made.classList.add("automatic");
    return made;
  };
  const known = colors.includes(look.color ?? "") || !look.color ? colors : [...colors, look.color];
  const swatches = make("fieldset", { className: "choices" }, make("legend", { textContent: t("Colour") }),
    choice("color", "", !look.color, t("Automatic"), dot(null)),
    known.map((color, index) => choice("color", color, look.color === color, colorNames[index] ?? color, dot(color))));
  const pictures = make("fieldset", { className: "choices" }, make("legend", { textContent: t("Icon") }),
    choice("icon", "", !look.icon, t("None"), make("i", { className: "swatch none-icon" })),
    Object.keys(icons).map((name) => choice("icon", name, look.icon === name, ICON_NAMES[name] ?? name, picture(name))));
  const made = form([swatches, pictures], t("Save look"), async () => {
    const chosen = new FormData(made);
    await change("PUT", `${path(device.name)}/look`, { color: chosen.get("color") || undefined, icon: chosen.get("icon") || undefined });
    toast(t("Saved."));
    await redraw();
  });
  return made;
}

function namePart(device) {
  const name = make("input", { name: "name", value: device.name, required: true, maxLength: 64, spellcheck: false, autocomplete: "off" });
  return form([make("label", {}, t("Name"), name)], t("Rename"), async () => {
    const { device: renamed } = await change("PUT", `${path(device.name)}/name`, { name: name.value.trim() });
    toast(t("Renamed. Apps go on with their tokens."));
    location.replace(`#${encodeURIComponent(renamed)}`);
  });
}

async function ownerPart(device, redraw) {
  const { users } = await get("/api/v1/users");
  if (!users.length) return null;
  const user = make("select", { name: "owner" }, new Option(t("administrator"), ""), users.map(({ name }) => new Option(name, name, name === device.owner, name === device.owner)));
  return form([make("label", {}, t("Owner"), user)], t("Change owner"), async () => {
    await change("PUT", path(device.name), { owner: user.value || null });
    toast(t("Saved."));
    await redraw();
  });
}

async function mergePart(device) {
  const others = (await devices()).filter(({ name, owner, access }) => name !== device.name && access === "all" && owner === device.owner);
  if (!others.length) return null;
  const into = make("select", { name: "into" }, others.map(({ name }) => new Option(name, name)));
  return form([make("label", {}, t("Merge into"), into), make("p", { className: "none", textContent: t("The other device gets all points and visits. Apps go on with their tokens and send to it. Settings and share links of this device end.") })], t("Merge"), async () => {
    const target = into.value;
    const { counts } = await change("POST", `${path(device.name)}/merge`, { into: target, dry_run: true });
    const isConfirmed = await ask({
      title: make("span", {}, ...pieces("Merge {device} into {target}?", { device: bdi(device.name), target: bdi(target) })), confirm: t("Merge"), danger: false,
      lines: [t("Moved: {what}.", { what: countsText(counts, ["devices"]) }), t("You can undo this for 7 days.")],
    });
    if (!isConfirmed) return;
    const { trash } = await change("POST", `${path(device.name)}/merge`, { into: target });
    undoNotice(make("span", {}, ...pieces("{device} merged into {target}.", { device: bdi(device.name), target: bdi(target) })), trash, () => location.assign(`#${encodeURIComponent(device.name)}`));
    location.assign(`#${encodeURIComponent(target)}`);
  });
}

// `who`: the session. `redraw` redraws the page.
export async function managePart(device, who, redraw) {
  const own = (await devices()).find(({ name }) => name === device.name) ?? {};
  return part(t("Name, look and deletion"), null,
    make("div", { className: "manage" }, namePart(device), who?.administrator ? await ownerPart(device, redraw) : null, await mergePart(device)),
    lookPart(device, own, redraw),
    make("p", { className: "row end" }, action(t("Delete device…"), t("Delete {name}", { name: device.name }), async () => {
      const isDeleted = await deleteDevice(device.name, () => {
        if (location.hash) location.assign("#");
        else redraw();
      });
      return isDeleted ? t("Deleted.") : t("Nothing was changed.");
    }, () => {})));
}
