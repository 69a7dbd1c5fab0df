// The page of a link from `godwit login`: its one-time code begins a session.

import { change } from "/api.js";

const element = (id) => document.getElementById(id);

async function login() {
  const code = location.hash.slice(1);
  if (!code) return location.replace("/sign-in");
  // Before the request, so that neither the browser's history nor a bookmark contains the code.
  history.replaceState(null, "", "/login");
  try {
    await change("POST", "/api/v1/login", { code });
    location.replace("/");
  } catch (error) {
    element("state").hidden = true;
    element("problem").textContent = error.message;
    element("problem").hidden = false;
    element("again").hidden = false;
  }
}

// Opening a second link in the same tab changes only the fragment.
addEventListener("hashchange", () => location.hash && location.reload());
login();
