// How to get in: a name and a password, a link of `godwit login`, or the owner's token.

import { change } from "/api.js";

const form = document.getElementById("sign-in");
const problem = document.getElementById("problem");

// Only a path of this server is gone to: an address with a host of its own is somebody else's.
function next() {
  const wanted = new URLSearchParams(location.search).get("next") ?? "/";
  const address = new URL(wanted, location.origin);
  return address.origin === location.origin ? address.pathname + address.search + address.hash : "/";
}

function say(text, field) {
  problem.textContent = text;
  problem.hidden = false;
  field?.focus();
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { name, password, code } = form.elements;
  problem.hidden = true;
  if (!name.value.trim()) return say("Which name?", name);
  if (!password.value) return say("Which password?", password);
  const button = form.querySelector("button");
  button.disabled = true;
  try {
    await change("POST", "/api/v1/session", { name: name.value.trim(), password: password.value, code: code.value.trim() || undefined });
    location.replace(next());
  } catch (error) {
    code.value = "";
    // The password was right: the code is the second step.
    if (error.kind === "second-factor-needed" || error.kind === "code-not-valid") {
      code.parentElement.hidden = false;
      problem.hidden = error.kind === "second-factor-needed";
      if (!problem.hidden) say(error.message);
      return code.focus();
    }
    password.value = "";
    say(error.message, password);
  } finally {
    button.disabled = false;
  }
});

document.getElementById("owner").addEventListener("submit", async (event) => {
  event.preventDefault();
  const { token } = event.target.elements;
  const fault = document.getElementById("owner-problem");
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

// Without users the owner is the only one who can sign in; then the server leaves the form out.
if (document.body.dataset.users === "yes") document.getElementById("login-place").append(document.getElementById("login"));
else document.querySelector("#as-owner summary").textContent = "With the owner's token";

// Only now: a form that is sent before its script is there is sent by the browser, which would write what is in it into the address.
for (const button of document.querySelectorAll("form button")) button.disabled = false;
