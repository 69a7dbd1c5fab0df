// Shows whether a phone can reach this server, and a button that opens the server to the network.

import { change, get } from "/api.js";
import { ask, make } from "/elements.js";
import { pieces, t } from "/texts.js";

const isLocal = /^(localhost$|127\.|\[::1\]$)/.test(location.hostname);

// Returns the server's address for a phone: the address of this page, or, if that is a loopback address, the address in the network.
// `origin` is null if no phone can reach the server.
export async function reach() {
  const network = await get("/api/v1/network");
  return { network, origin: isLocal ? network.origin : location.origin };
}

const away = () => make("details", { className: "away" }, make("summary", { textContent: t("And away from home?") }),
  make("p", { textContent: t("Nothing is lost: points wait on the phone, and are sent when it is back in this network.") }),
  make("p", { textContent: t("To send from everywhere, make the server reachable in one of three ways:") }),
  make("ul", {}, make("li", {}, ...pieces("{vpn} such as WireGuard between the phone and your network. Nothing is open to the internet.", { vpn: make("b", { textContent: t("A VPN") }) })),
    make("li", {}, ...pieces("{proxy} such as Caddy or nginx, which passes requests on to this server.", { proxy: make("b", { textContent: t("A reverse proxy with TLS") }) })),
    make("li", {}, make("b", { textContent: t("The server's own TLS:") }), " ", make("code", { textContent: "godwit serve --listen 0.0.0.0:8443 --tls-certificate FILE --tls-key FILE" }))));

function button(label, className, run, problem) {
  const made = make("button", { type: "button", className, textContent: label });
  made.addEventListener("click", async () => {
    made.disabled = true;
    problem.hidden = true;
    try {
      await run();
    } catch (error) {
      problem.textContent = error.message;
      problem.hidden = false;
    } finally {
      made.disabled = false;
    }
  });
  return made;
}

const set = (open) => change("PUT", "/api/v1/network", { open });

// The part of the page about the network. `changed` is called after the server was opened or closed.
export function networkPart({ network, origin }, isAdministrator, changed) {
  const problem = make("p", { className: "problem", hidden: true });
  problem.setAttribute("role", "alert");
  const part = make("div", { id: "network", className: origin ? "open" : "closed" });
  if (network.open) {
    part.append(make("p", {}, ...pieces("Phones in your network reach this server at {address}.", { address: make("b", { textContent: network.origin }) })), problem);
    if (isAdministrator) {
      part.append(button(t("Close it again"), "", async () => {
        await set(false);
        await changed();
      }, problem));
    }
  } else if (origin) {
    part.append(make("p", {}, ...pieces("Your phone reaches this server at {address}.", { address: make("b", { textContent: origin }) })));
  } else if (network.can_open && isAdministrator) {
    part.append(make("p", { textContent: t("At the moment only this computer reaches the server, and no phone does.") }), problem,
      button(t("Open to my network"), "main", async () => {
        const isMeant = await ask(t("Open the server to your network?"), [
          t("Devices in your network then reach it at {address}. They need a token to send and a sign-in to see anything.", { address: network.address }),
          t("The connection is not encrypted: do this only in a network that you trust. You can close it again here."),
        ], t("Open"));
        if (!isMeant) return;
        await set(true);
        await changed();
      }, problem));
  } else {
    part.append(make("p", {}, ...(isAdministrator
      ? pieces("No phone reaches this server: it listens on this computer alone, and the computer has no address in a private network. Start it with {command}, or put a proxy in front of it.", {
        command: make("code", { textContent: `godwit serve --listen 0.0.0.0:${location.port || 8080}` }),
      }) : [t("At the moment only the server's own computer reaches the server, and no phone does. Ask its administrator to open it to the network.")])));
  }
  part.append(away());
  return part;
}
