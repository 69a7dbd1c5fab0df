// The navigation bar of all pages: the current page, the account menu, and the state of the connection.

import { change, get } from "/api.js";
import { hasSession } from "/connection.js";
import { speedUnit } from "/format.js";
import { t } from "/texts.js";
import { translateFaults } from "/validation.js";
import { beWebApp, install, isInstallable } from "/web-app.js";

translateFaults();

const element = (id) => document.getElementById(id);
const menu = element("menu");

const current = menu.querySelector("[aria-current]");
if (current) menu.dataset.current = current.className || "wide";

const close = (andFocus) => {
  if (!menu.open) return;
  menu.open = false;
  if (andFocus) menu.querySelector("summary").focus();
};
document.addEventListener("click", (event) => menu.contains(event.target) || close(false));
menu.addEventListener("keydown", (event) => event.key === "Escape" && close(true));
menu.addEventListener("focusout", (event) => event.relatedTarget && !menu.contains(event.relatedTarget) && close(false));

element("shell-sign-out").addEventListener("click", async () => {
  await change("DELETE", "/api/v1/session");
  location.replace("/sign-in");
});

for (const place of document.querySelectorAll("[data-unit=speed]")) place.textContent = speedUnit;

const offer = () => (element("shell-install").hidden = !isInstallable());
addEventListener("godwit-installable", offer);
element("shell-install").addEventListener("click", async () => {
  await install();
  offer();
});
offer();
beWebApp();

// The signed-in user. A page without authentication, such as the API reference, shows none. If the request fails, api.js has opened the
// sign-in page, or connection.js shows the error.
const signedIn = hasSession ? await get("/api/v1/session").catch(() => null) : null;
if (signedIn) {
  const { user, administrator, session } = signedIn;
  element("menu-name").textContent = user?.name ?? t("Administrator");
  element("signed-in").textContent = user ? (administrator ? t("Signed in as administrator") : t("Signed in")) : t("Signed in with the administrator's link");
  element("signed-in").hidden = false;
  element("shell-sign-out").hidden = !session;
  for (const link of document.querySelectorAll("#to-regions, [data-administrator]")) link.hidden = !administrator;
}
