// Sign-in with an OpenID provider: the redirect to the provider, and the handling of its answer.

import { change, get } from "/api.js";
import { t } from "/texts.js";

const key = "openid-next";

// The host name of the provider; null if the server has none.
export const provider = async () => (await get("/api/v1/session/openid")).name;

// Redirects to the provider. `next`: the page to open afterwards; `again`: whether the provider must authenticate the user again.
export async function begin(next, again = false) {
  const { address } = await change("POST", "/api/v1/session/openid/options", { again });
  sessionStorage.setItem(key, next);
  location.assign(address);
}

// The provider's answer, on the page to which it redirects the browser; null on other pages.
export const answer = location.pathname === "/sign-in/openid" ? Object.fromEntries(new URLSearchParams(location.search)) : null;

// The page to open afterwards; null on other pages.
export const next = answer && sessionStorage.getItem(key);

// Before the request, so that neither the browser's history nor a bookmark contains the code.
if (answer) history.replaceState(null, "", "/sign-in/openid");

// Signs in with the answer.
export async function finish() {
  if (!answer.code) throw new Error(answer.error_description || answer.error || t("The provider sent no answer. Try again."));
  await change("POST", "/api/v1/session/openid", { code: answer.code, state: answer.state });
  sessionStorage.removeItem(key);
}
