// Sign-in at an OpenID provider: the way there, and the answer with which the provider sends the browser back.

import { change, get } from "/api.js";
import { t } from "/texts.js";

const key = "openid-next";

// The host name of the provider; null where the server has none.
export const provider = async () => (await get("/api/v1/session/openid")).name;

// Goes to the provider. `next`: where the browser goes afterwards; `again`: whether the provider must ask the user again.
export async function begin(next, again = false) {
  const { address } = await change("POST", "/api/v1/session/openid/options", { again });
  sessionStorage.setItem(key, next);
  location.assign(address);
}

// What the provider says, on the page to which it sends the browser.
export const answer = location.pathname === "/sign-in/openid" ? Object.fromEntries(new URLSearchParams(location.search)) : null;

// Where the browser was going; null on other pages.
export const next = answer && sessionStorage.getItem(key);

// Before anything else: neither the history nor a bookmark keeps the code.
if (answer) history.replaceState(null, "", "/sign-in/openid");

// Signs in with the answer.
export async function finish() {
  if (!answer.code) throw new Error(answer.error_description || answer.error || t("The provider sent no answer. Try again."));
  await change("POST", "/api/v1/session/openid", { code: answer.code, state: answer.state });
  sessionStorage.removeItem(key);
}
