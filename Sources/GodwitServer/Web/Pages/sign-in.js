// Sign-in with a name and a password, a passkey, an OpenID provider, or the administrator token.

import { change } from "/api.js";
import * as openID from "/openid.js";
import { isOffered, use } from "/passkey.js";
import { t } from "/texts.js";
import { translateFaults } from "/validation.js";

translateFaults();

const form = document.getElementById("sign-in");
const problem = document.getElementById("problem");

// Only paths of this server are followed, so that a link cannot redirect elsewhere.
function next() {
  const wanted = openID.next ?? new URLSearchParams(location.search).get("next") ?? "/";
  const address = new URL(wanted, location.origin);
  return address.origin === location.origin ? address.pathname + address.search + address.hash : "/";
}

function report(text, field) {
  problem.textContent = text;
  problem.hidden = false;
  field?.focus();
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { name, password, code } = form.elements;
  problem.hidden = true;
  if (!name.value.trim()) return report(t("Enter your name."), name);
  if (!password.value) return report(t("Enter your password."), password);
  const button = form.querySelector("button");
  button.disabled = true;
  try {
    await change("POST", "/api/v1/session", { name: name.value.trim(), password: password.value, code: code.value.trim() || undefined });
    location.replace(next());
  } catch (error) {
    code.value = "";
    // The password was correct; the code is the second step.
    if (error.kind === "second-factor-needed" || error.kind === "code-not-valid") {
      code.parentElement.hidden = false;
      problem.hidden = error.kind === "second-factor-needed";
      if (!problem.hidden) report(error.message);
      return code.focus();
    }
    password.value = "";
    report(error.message, password);
  } finally {
    button.disabled = false;
  }
});

const passkey = document.getElementById("passkey");
passkey.hidden = !isOffered;
passkey.addEventListener("click", async () => {
  problem.hidden = true;
  passkey.disabled = true;
  try {
    await use("/api/v1/session/passkey");
    location.replace(next());
  } catch (error) {
    report(error.message, passkey);
  } finally {
    passkey.disabled = false;
  }
});

const provider = document.getElementById("openid");
provider.addEventListener("click", async () => {
  problem.hidden = true;
  provider.disabled = true;
  try {
    await openID.begin(next());
  } catch (error) {
    report(error.message, provider);
    provider.disabled = false;
  }
});
openID.provider().then((name) => {
  provider.hidden = name === null;
  provider.querySelector("bdi").textContent = name;
}, () => {});

provider.disabled = false;

// The page was opened by the provider's redirect.
if (openID.answer) {
  openID.finish().then(() => location.replace(next()), (error) => report(error.message));
}

document.getElementById("administrator").addEventListener("submit", async (event) => {
  event.preventDefault();
  const { token } = event.target.elements;
  const fault = document.getElementById("administrator-problem");
  fault.hidden = true;
  try {
    await change("POST", "/api/v1/login", { token: token.value.trim() });
    location.replace(next());
  } catch (error) {
    token.value = "";
    fault.textContent = error.message;
    fault.hidden = false;
    token.focus();
  }
});

// Without users, only the administrator token signs in, and the server omits the form.
if (document.body.dataset.users === "yes") document.getElementById("login-place").append(document.getElementById("login"));
else document.querySelector("#as-administrator summary").textContent = t("With the administrator token");

// Enabled last: without this script the browser would submit the form's values in the URL.
for (const button of document.querySelectorAll("form button")) button.disabled = false;
