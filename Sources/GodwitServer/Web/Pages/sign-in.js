// The door: a name and a password, or the owner's token.

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
  const { name, password } = form.elements;
  problem.hidden = true;
  if (!name.value.trim()) return say("Which name?", name);
  if (!password.value) return say("Which password?", password);
  const button = form.querySelector("button");
  button.disabled = true;
  try {
    await change("POST", "/api/session", { name: name.value.trim(), password: password.value });
    location.replace(next());
  } catch (error) {
    password.value = "";
    say(error.message, password);
  } finally {
    button.disabled = false;
  }
});

document.getElementById("owner").addEventListener("submit", (event) => {
  event.preventDefault();
  location.href = `/?token=${encodeURIComponent(new FormData(event.target).get("token"))}`;
});

// Only now: a form that is sent before its script is there is sent by the browser, which would write what is in it into the address.
for (const button of document.querySelectorAll("form button")) button.disabled = false;
