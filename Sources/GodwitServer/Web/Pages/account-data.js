// The part of the account page that exports and deletes all data of a user.

import { change, get } from "/api.js";
import { ask, countsText, joined } from "/deletion.js";
import { action, make, part, when } from "/elements.js";
import { t } from "/texts.js";

// The paths to delete: the user, or all devices without an owner for an administrator without a user account.
async function targets(who) {
  if (who.user) return [`/api/v1/users/${encodeURIComponent(who.user.name)}?data=delete`];
  const { devices } = await get("/api/v1/devices");
  return devices.filter(({ owner }) => !owner).map(({ name }) => `/api/v1/devices/${encodeURIComponent(name)}`);
}

async function countsOf(paths) {
  const sums = {};
  for (const path of paths) {
    const { counts } = await change("DELETE", joined(path, "dry_run=true"));
    for (const [kind, count] of Object.entries(counts)) sums[kind] = (sums[kind] ?? 0) + count;
  }
  return sums;
}

// `who`: the session, as `/api/v1/session` returns it.
export async function dataParts(who) {
  // Only an administrator may list the backups on the machine.
  const { copies } = await get("/api/v1/trash").catch(() => ({ copies: [] }));
  const list = copies.length
    ? make("ul", { className: "copies" }, copies.map(({ path, time }) => make("li", {}, make("code", { textContent: path }), make("small", { textContent: when(time) })))) : null;
  const label = who.user ? t("Delete my account and all its data…") : t("Delete all devices and their data…");
  const remove = action(label, label, async () => {
    const paths = await targets(who);
    const counts = await countsOf(paths);
    const isMeant = await ask({
      title: who.user ? t("Delete everything of {name}?", { name: who.user.name }) : t("Delete all devices?"),
      lines: [
        `${countsText(counts)}.`,
        t("It disappears at once from every page, export and share. An administrator can undo it for 7 days; then the data is overwritten."),
        copies.length ? t("These backups were made before and keep the data: {files}.", { files: copies.map(({ path }) => path).join(", ") })
          : t("Backups that were made before keep the data."),
      ],
      fields: [], confirm: t("Delete everything"),
    });
    if (!isMeant) return t("Nothing was changed.");
    for (const path of paths) await change("DELETE", path);
    if (who.user) location.replace("/sign-in");
    return t("Deleted. The trash keeps it for 7 days.");
  }, async () => {});
  remove.className = "danger";
  return [
    part(t("Export everything"), t("One archive with the records of all your devices as GeoJSON, and your places, corrections, zones, links and settings as JSON. Passwords and tokens are not in it."),
      make("p", { className: "row" }, make("a", { className: "button main", href: "/api/v1/export/all", download: "", textContent: t("Download everything") }))),
    part(t("Delete everything"), t("All data that this server has of you. Download it before if you want to keep it."), list, make("p", { className: "row" }, remove)),
  ];
}
