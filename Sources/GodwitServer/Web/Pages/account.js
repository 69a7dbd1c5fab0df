// The account page: devices, tokens, links, friends and private zones; for administrators also users.

import { Refused, change, get, whenBack } from "/api.js";
import { picture } from "/device-setup.js";
import { action as button, element, form as plainForm, make, named, part, toast, when } from "/elements.js";
import { isolated, number, program } from "/format.js";
import { create, hasHostName, isOffered } from "/passkey.js";
import { photoSettings } from "/photo-settings.js";

const moment = (value) => (value ? new Date(value).toISOString() : undefined);

let who = { user: null, administrator: false };

// MARK: Pieces

// A table; a cell is text or an element.
function table(heads, rows, none) {
  if (!rows.length) return make("p", { className: "none", textContent: none });
  const head = make("tr", {}, ...heads.map((text) => make("th", { scope: "col" }, text || make("span", { className: "hidden", textContent: "Actions" }))));
  const body = rows.map(({ cells, over }) =>
    make("tr", { className: over ? "over" : "" }, ...cells.map((cell, index) => {
      const kind = /^(Created|Last used|Expires|Time|Last seen|Since|Viewed|From|To)$/.test(heads[index]) ? "time" : "";
      return make("td", { className: kind, data: { head: heads[index] } }, cell ?? "–");
    })));
  return make("div", { className: "table" }, make("table", {}, make("thead", {}, head), make("tbody", {}, ...body)));
}

// A button that runs an action and then redraws the part.
const action = (text, label, run, options) => button(text, label, run, () => show(current), options);

// A form: fields are [name, label, properties] or elements; `run` gets their values.
function form(fields, label, run) {
  const inputs = fields.map(([name, text, /** @type {any} */ { options, ...properties } = {}]) => {
    if (properties.type === "checkbox") {
      return make("label", { className: "check" }, make("input", { name, ...properties }), text);
    }
    const input = options
      ? make("select", { name, ...properties }, ...options.map(([value, shown]) => new Option(shown, value)))
      : make("input", { name, ...properties });
    return make("label", {}, text, input);
  });
  return plainForm([make("div", { className: "fields" }, ...inputs)], label, (made) => {
    const values = {};
    for (const [name, , /** @type {any} */ { type, multiple } = {}] of fields) {
      const input = made.elements[name];
      if (type === "checkbox") values[name] = input.checked;
      else if (multiple) values[name] = [...input.selectedOptions].map((option) => option.value);
      else if (input.value !== "") values[name] = type === "number" ? Number(input.value) : input.value;
    }
    return run(values, made);
  });
}

// A secret that is shown once.
function secret(text, value, ...more) {
  const copy = make("button", { type: "button", textContent: "Copy" });
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(value);
    toast("Copied.");
  });
  const box = make("div", { className: "secret", tabIndex: -1 }, make("p", { textContent: text }), ...value.split("\n").map((line) => make("code", { textContent: line })),
    make("div", {}, copy, ...more));
  box.setAttribute("role", "status");
  return box;
}

async function showSecret(pane, box) {
  await show(current);
  element(`pane-${pane}`).prepend(box);
  box.focus();
}

const devices = async () => (await get("/api/v1/devices")).devices.filter((device) => device.access === "all");
const choices = (list) => list.map(({ name }) => [name, name]);

// MARK: Parts

const parts = {
  devices: {
    title: "Devices",
    async draw() {
      const list = (await get("/api/v1/devices")).devices;
      const rows = list.map((device) => ({
        cells: [named(device.name), device.owner ? named(device.owner) : "administrator", device.points === null ? "" : number(device.points),
          when(device.last_contact), device.access === "all"
            ? action("Revoke tokens", `Revoke the tokens of ${device.name}`, async () => {
              const { revoked } = await change("DELETE", `/api/v1/devices/${encodeURIComponent(device.name)}/tokens`);
              return `${revoked} token${revoked === 1 ? "" : "s"} revoked.`;
            }, { danger: true }) : ""],
      }));
      return [
        part("Devices", "Devices sign in with a token. Revoking it keeps their data.",
          table(["Name", "User", "Points", "Last seen", ""], rows, "No devices yet.")),
        part("Add a device", null, make("p", {}, make("a", { href: "/welcome", textContent: "Add a phone or a computer" }),
          ", or create another token for a device on its ", make("a", { href: "/devices", textContent: "page" }), ".")),
        ...(await retention(await devices())),
      ];
    },
  },
  tokens: {
    title: "Tokens",
    async draw() {
      const { tokens } = await get("/api/v1/tokens");
      const list = await devices();
      const rows = tokens.map((token) => ({
        over: token.revoked !== null,
        cells: [named(token.name), token.scope + (token.device ? `: ${token.device}` : ""), when(token.created), when(token.expires),
          token.used ? `${when(token.used)}${token.address ? `, ${token.address}` : ""}` : "never",
          token.revoked ? "revoked" : action("Revoke", `Revoke ${token.name}`, async () => {
            await change("DELETE", `/api/v1/tokens/${token.id}`);
          }, { danger: true })],
      }));
      return [
        part("API tokens", "Send a token as Authorization: Bearer TOKEN.",
          table(["Name", "Scope", "Created", "Expires", "Last used", ""], rows, "No tokens yet.")),
        part("Create a token", null, form([
          ["name", "Name", { required: true, placeholder: "grafana" }],
          ["scope", "Scope", { options: [["read", "read"], ["write", "send, as a device"], ["admin", "full access"]] }],
          ["device", "Device", { options: [["", "all devices"], ...choices(list)] }],
          ["expires", "Expires", { type: "date" }],
        ], "Create token", async (values) => {
          const made = await change("POST", "/api/v1/tokens", values);
          await showSecret("tokens", secret(`Token "${isolated(made.name)}" – copy it now, it won't be shown again:`, made.token));
        })),
      ];
    },
  },
  links: {
    title: "Sharing",
    async draw() {
      const { links } = await get("/api/v1/links");
      const list = await devices();
      const over = (link) => link.revoked !== null || (link.expires && Date.parse(link.expires) < Date.now());
      const rows = links.map((link) => ({
        over: over(link),
        cells: [
          make("span", {}, named(link.name), make("small", { textContent: [link.devices.map(isolated).join(", "), link.grid ? `within ${link.grid} m` : "exact",
            link.delay ? `${Math.round(link.delay / 60)} min delay` : "", link.password ? "with a password" : ""].filter(Boolean).join(" · ") })),
          when(link.from), link.to ? when(link.to) : "live", when(link.expires), `${link.views}`,
          over(link) ? "ended" : action("End", `End the link ${link.name}`, async () => {
            await change("DELETE", `/api/v1/links/${link.id}`);
          }, { danger: true })],
      }));
      return [
        part("Links", "Anyone with the link can see the chosen period on a map – nothing else.",
          table(["Name", "From", "To", "Expires", "Views", ""], rows, "Nothing is shared.")),
        part("Share", "Live until it expires, unless you set an end.", form([
          ["name", "Name (visible to viewers)", { placeholder: "On the way home", required: true }],
          ["devices", "Devices", { options: choices(list), multiple: true, size: Math.min(4, Math.max(2, list.length)) }],
          ["from", "Start (now)", { type: "datetime-local" }],
          ["to", "End (live)", { type: "datetime-local" }],
          ["expires", "Expires (in 1 day)", { type: "datetime-local" }],
          ["grid", "Precision", { options: [["", "exact"], ["100", "within 100 m"], ["500", "within 500 m"], ["2000", "within 2 km"], ["10000", "within 10 km"]] }],
          ["delay", "Delay", { options: [["", "none"], ["900", "15 minutes"], ["3600", "1 hour"], ["86400", "1 day"]] }],
          ["password", "Password (none)", { type: "password", autocomplete: "new-password" }],
        ], "Create link", async ({ grid, delay, from, to, expires, ...values }) => {
          const made = await change("POST", "/api/v1/links", {
            ...values, from: moment(from), to: moment(to), expires: moment(expires),
            grid: grid && Number(grid), delay: delay && Number(delay),
          });
          await showSecret("links", secret(`Link "${isolated(made.name)}" – copy it now, it won't be shown again:`, `${location.origin}${made.path}`,
            make("a", { href: made.path, target: "_blank", rel: "noopener", textContent: "Open" })));
        })),
      ];
    },
  },
  friends: {
    title: "Friends",
    needsUser: true,
    async draw() {
      const { friends, positions } = await get("/api/v1/friends");
      const card = await get("/api/v1/profile");
      const words = { agreed: "", asked: "invitation sent", "waits for you": "wants to connect" };
      const rows = friends.map((friend) => {
        const end = action("Stop sharing", `Stop sharing with ${friend.user}`, async () => {
          await change("DELETE", `/api/v1/friends/${friend.id}`);
        }, { danger: true });
        const agree = friend.state === "waits for you"
          ? action("Accept", `Accept ${friend.user}`, async () => {
            await change("POST", "/api/v1/friends", { user: friend.user, direction: friend.direction });
          }) : null;
        return {
          cells: [named(friend.user), friend.direction === "show" ? "sees you" : "visible to you",
            friend.access === "latest" ? "current location" : `history since ${when(friend.since)}`, words[friend.state] || when(friend.accepted),
            make("span", {}, agree, " ", end)],
        };
      });
      const there = positions.map(({ name, avatar, last }) => ({
        cells: [make("span", {}, avatar ? make("img", { className: "avatar", alt: "", src: `data:image;base64,${avatar}` }) : null, named(name)),
          named(last.properties.device_id), when(last.properties.timestamp),
          make("a", { href: "/", textContent: "Show on map" })],
      }));
      return [
        part("Shared with you", null, table(["Name", "Device", "Last seen", ""], there, "No friends share their location with you yet.")),
        part("Friends", "Both of you must agree; either can stop at any time.",
          table(["User", "Direction", "Shares", "Since", ""], rows, "No friends yet.")),
        part("Invite a friend", null, form([
          ["user", "User", { required: true }],
          ["direction", "Direction", { options: [["show", "share mine"], ["see", "see theirs"]] }],
          ["access", "Share", { options: [["latest", "current location"], ["history", "location history from now on"]] }],
        ], "Invite", async (values) => {
          if (values.direction === "see") delete values.access;
          await change("POST", "/api/v1/friends", values);
          toast("Invitation sent.");
          await show(current);
        })),
        part("How friends see you", "Your name and picture on their maps and in the OwnTracks app.", form([
          ["name", "Name", { value: card.name ?? "", placeholder: who.user.name }],
          ["tid", "Initials (2 letters)", { value: card.tid ?? "", maxLength: 2 }],
          ["picture", "Picture", { type: "file", accept: "image/png,image/jpeg" }],
        ], "Save", async ({ name, tid }, made) => {
          const file = made.elements.picture.files[0];
          await change("PUT", "/api/v1/profile", { name, tid, avatar: file ? await base64(file) : card.avatar ?? undefined });
          toast("Saved.");
          await show(current);
        })),
      ];
    },
  },
  zones: {
    title: "Private zones",
    async draw() {
      const { zones, counts } = await get("/api/v1/zones");
      const rows = zones.map((zone) => ({
        cells: [named(zone.name), zone.radius ? `${zone.radius} m around ${zone.center.latitude.toFixed(4)}, ${zone.center.longitude.toFixed(4)}`
          : `area with ${zone.polygon.length - 1} corners`, zone.inside === "coarsen" ? "coarsened" : "not stored",
        action("Remove", `Remove ${zone.name}`, async () => {
          await change("DELETE", `/api/v1/zones/${zone.id}`);
        }, { danger: true })],
      }));
      const counted = counts.filter((count) => count.coarsened + count.dropped > 0).map((count) => ({
        cells: [named(count.device), number(count.coarsened), number(count.dropped)],
      }));
      const add = form([
        ["name", "Name", { required: true, placeholder: "Home" }],
        ["latitude", "Latitude", { type: "number", step: "any", required: true }],
        ["longitude", "Longitude", { type: "number", step: "any", required: true }],
        ["radius", "Radius (m)", { type: "number", min: 50, value: 300 }],
        ["inside", "Points inside", { options: [["coarsen", "blur"], ["drop", "don't store"]] }],
      ], "Add zone", async ({ latitude, longitude, ...values }) => {
        await change("POST", "/api/v1/zones", { ...values, center: { latitude, longitude } });
        toast("Zone saved; applies to new points.");
        await show(current);
      });
      const { zoneMap } = await import("/zone-map.js");
      const places = (await devices()).flatMap(({ last }) => (last ? [last.geometry.coordinates] : []));
      return [
        part("Private zones", "Points inside a zone are blurred before they are stored, or not stored. Existing points are not changed.",
          table(["Name", "Where", "Inside", ""], rows, "No zones yet."),
          counted.length ? table(["Device", "Blurred", "Not stored"], counted, "") : null),
        part("Add a zone", "Click its centre on the map, or enter it below.", zoneMap(zones, places, add), add),
      ];
    },
  },
  photos: {
    title: "Photos",
    draw: () => photoSettings(() => show(current)),
  },
  you: {
    title: "Sessions",
    needsUser: true,
    async draw() {
      const { sessions } = await get("/api/v1/sessions");
      const factor = await get("/api/v1/second-factor");
      const rows = sessions.map((session) => ({
        cells: [make("span", { title: session.agent, textContent: program(session.agent) }), session.address, when(session.created), when(session.used),
          session.current ? "this session" : action("Sign out", "Sign out of this session", async () => {
            await change("DELETE", `/api/v1/sessions/${session.id}`);
          })],
      }));
      return [
        part("Where you are signed in", null, table(["Browser", "Address", "Created", "Last used", ""], rows, "No sessions."),
          sessions.length > 1 ? action("Sign out everywhere else", "Sign out of all other sessions", async () => {
            const { ended } = await change("DELETE", "/api/v1/sessions?others=true");
            return `${ended} signed out.`;
          }) : null),
        part("Password", "Changing it signs you out elsewhere.", form([
          ["old", "Old password", { type: "password", autocomplete: "current-password", required: true }],
          ["new", "New password", { type: "password", autocomplete: "new-password", required: true }],
          ["end_tokens", "Also revoke all API tokens", { type: "checkbox" }],
        ], "Change password", async (values, made) => {
          const { revoked } = await change("POST", "/api/v1/password", values);
          made.reset();
          toast(`Password changed${revoked ? `, ${revoked} token${revoked === 1 ? "" : "s"} revoked` : ""}.`);
          await show(current);
        })),
        passkeyPart((await get("/api/v1/passkeys")).passkeys),
        ...(factor.enrolled ? enrolledParts(factor) : [enrolmentPart()]),
      ];
    },
  },
  users: {
    title: "Users",
    needsAdministrator: true,
    async draw() {
      const { users } = await get("/api/v1/users");
      const rows = users.map((user) => ({
        cells: [named(user.name), user.role, `${user.devices}`, user.second_factor ? "on" : "off", when(user.created), make("span", {},
          ...(user.second_factor ? [action("Remove second factor", `Remove the second factor of ${user.name}`, async () => {
            await change("DELETE", `/api/v1/users/${encodeURIComponent(user.name)}/second-factor`);
          }, { danger: true }), " "] : []),
          ...(user.passkeys ? [action("Remove passkeys", `Remove the passkeys of ${user.name}`, async () => {
            await change("DELETE", `/api/v1/users/${encodeURIComponent(user.name)}/passkeys`);
          }, { danger: true }), " "] : []),
          ...(user.openid ? [action("Unlink OpenID", `Remove the OpenID link of ${user.name}`, async () => {
            await change("DELETE", `/api/v1/users/${encodeURIComponent(user.name)}/openid`);
          }, { danger: true }), " "] : []),
          action(user.role === "admin" ? "Make a member" : "Make an administrator", `Change the role of ${user.name}`, async () => {
            await change("PUT", `/api/v1/users/${encodeURIComponent(user.name)}`, { role: user.role === "admin" ? "member" : "admin" });
          }), " ", action("Remove", `Remove ${user.name}`, async () => {
            await change("DELETE", `/api/v1/users/${encodeURIComponent(user.name)}?data=keep`);
          }, { danger: true }))],
      }));
      return [
        part("Users", users.length ? "Members see their own data and what friends share." : "Create your own account first: it becomes the administrator, and everyone must sign in from then on.",
          table(["Name", "Role", "Devices", "Second factor", "Created", ""], rows, "No users yet.")),
        part("Add a user", null, form([
          ["name", "Name", { required: true, autocomplete: "off" }],
          ["password", "Password", { type: "password", autocomplete: "new-password", required: true }],
          ["role", "Role", { options: [["member", "member"], ["admin", "administrator"]] }],
        ], "Add", async (values) => {
          await change("POST", "/api/v1/users", values);
          // The browser's session was the administrator token's; the new user signs in.
          if (!users.length) {
            await change("DELETE", "/api/v1/session");
            location.replace("/sign-in?next=/account");
          }
          else await show(current);
        })),
      ];
    },
  },
  log: {
    title: "Log",
    async draw() {
      const list = make("div");
      let rows = [];
      let after = "";
      const more = make("button", { type: "button", textContent: "Earlier" });
      const load = async () => {
        const { entries, next_cursor: next } = await get(`/api/v1/audit?limit=50${after ? `&cursor=${after}` : ""}`);
        rows = rows.concat(entries.map((entry) => ({ cells: [when(entry.time), named(entry.actor), entry.action, named(entry.subject), entry.address] })));
        after = next;
        more.hidden = next === null;
        list.replaceChildren(table(["Time", "User", "Action", "Object", "Address"], rows, "No entries yet."));
      };
      more.addEventListener("click", load);
      await load();
      return [part("Log", "Sign-ins, changes and exports of the last year.", list, more)];
    },
  },
};

// MARK: Passkeys

// The name of a passkey, with a form to change it.
function passkeyName(passkey) {
  const place = make("span", {}, make("bdi", { textContent: passkey.name }), passkey.synced ? make("small", { textContent: "synced" }) : null);
  const rename = make("button", { type: "button", textContent: "Rename" });
  rename.setAttribute("aria-label", `Rename ${passkey.name}`);
  rename.addEventListener("click", () => {
    const input = make("input", { name: "name", value: passkey.name, maxLength: 64, required: true });
    input.setAttribute("aria-label", "Name of the passkey");
    const renaming = make("form", { className: "rename" }, input, make("button", { className: "main", textContent: "Save" }));
    renaming.addEventListener("submit", async (event) => {
      event.preventDefault();
      try {
        await change("PUT", `/api/v1/passkeys/${passkey.id}`, { name: input.value.trim() });
        await show(current);
      } catch (error) {
        toast(error.message);
      }
    });
    place.replaceChildren(renaming);
    rename.hidden = true;
    input.select();
  });
  return { place, rename };
}

// The passkeys of the user, and a form for another one where the browser has passkeys.
function passkeyPart(passkeys) {
  const rows = passkeys.map((passkey) => {
    const { place, rename } = passkeyName(passkey);
    return {
      cells: [place, passkey.host, when(passkey.created), passkey.used ? when(passkey.used) : "never", make("span", {}, rename, " ",
        action("Remove", `Remove ${passkey.name}`, async () => {
          await change("DELETE", `/api/v1/passkeys/${passkey.id}`);
        }, { danger: true }))],
    };
  });
  const local = new URL(location.href);
  local.hostname = "localhost";
  const why = isOffered ? null
    : !hasHostName && location.hostname.startsWith("127.") ? make("p", { className: "none" }, "To add one, open this page as ", make("a", { href: local.href, textContent: local.origin }), ".")
      : make("p", { className: "none", textContent: hasHostName ? "To add one, open this page over HTTPS in a browser with passkeys." : "To add one, open this page under a host name over HTTPS." });
  return part("Passkeys", "Sign in with a fingerprint, a face, a PIN or a security key instead of the password and the code.",
    table(["Name", "Host", "Created", "Last used", ""], rows, "No passkeys yet."), why,
    isOffered ? form([["name", "Name", { required: true, maxLength: 64, value: program(navigator.userAgent) }]], "Add a passkey", async ({ name }) => {
      await create(name ?? "");
      toast("Passkey added.");
      await show(current);
    }) : null);
}

// MARK: Second factor

const passwordField = ["password", "Password", { type: "password", autocomplete: "current-password", required: true }];
const codeField = ["code", "Code", { autocomplete: "one-time-code", autocapitalize: "none", required: true }];

const recoveryBox = (codes) => secret("Your recovery codes. Each signs you in once without the app. They won't be shown again:",
  codes.join("\n"));

// Password first, then a QR code and the first code of the app.
function enrolmentPart() {
  const place = part("Second factor", "An authenticator app shows a code that you enter after the password.");
  place.append(form([passwordField], "Set up", async (values) => {
    const { secret: text, uri } = await change("POST", "/api/v1/second-factor", values);
    const confirm = form([codeField], "Turn on", async (entered) => {
      const { recovery_codes: codes } = await change("POST", "/api/v1/second-factor/activation", entered);
      await showSecret("you", recoveryBox(codes));
    });
    place.replaceChildren(make("h2", { textContent: "Second factor" }),
      make("p", { textContent: "Scan this code with your authenticator app, or enter the key. Then enter the code that the app shows." }),
      await picture(uri, "QR code for the authenticator app"), make("p", {}, "Key: ", make("code", { id: "factor-key", textContent: text })), confirm);
    confirm.elements.code.focus();
  }));
  return place;
}

const enrolledParts = (factor) => [
  part("Second factor", `On since ${when(factor.since)}. ${factor.recovery_codes} recovery code${factor.recovery_codes === 1 ? "" : "s"} left.`,
    form([passwordField, codeField], "Create new recovery codes", async (values) => {
      const { recovery_codes: codes } = await change("POST", "/api/v1/second-factor/recovery-codes", values);
      await showSecret("you", recoveryBox(codes));
    }),
    form([passwordField, codeField], "Turn off", async (values) => {
      await change("POST", "/api/v1/second-factor/removal", values);
      toast("The second factor is off.");
      await show(current);
    })),
];

// The retention of devices.
async function retention(list) {
  if (!list.length) return [];
  const rules = await Promise.all(list.map(({ name }) => get(`/api/v1/devices/${encodeURIComponent(name)}/retention`)));
  const rows = list.map(({ name }, index) => {
    const rule = rules[index];
    const words = [rule.keep_days ? `${rule.keep_days} days` : "unlimited",
      rule.thin_days ? `after ${rule.thin_days} days one point every ${rule.thin_minutes} min` : ""].filter(Boolean).join("; ");
    return { cells: [named(name), words, rule.keep_days || rule.thin_days ? action("Keep everything", `Keep all points of ${name}`, async () => {
      await change("DELETE", `/api/v1/devices/${encodeURIComponent(name)}/retention`);
    }) : ""] };
  });
  const answer = make("p", { className: "none", hidden: true });
  answer.setAttribute("role", "status");
  const [preview, save] = ["Preview", "Save"];
  const rule = form([
    ["device", "Device", { options: choices(list) }],
    ["keep_days", "Delete after (days)", { type: "number", min: 1 }],
    ["thin_days", "Thin out after (days)", { type: "number", min: 1 }],
    ["thin_minutes", "Keep one point every (min)", { type: "number", min: 1 }],
    ["dry", "Preview only", { type: "checkbox", checked: true }],
  ], preview, async ({ device, dry, ...values }) => {
    const path = `/api/v1/devices/${encodeURIComponent(device)}/retention`;
    const result = await change("PUT", dry ? `${path}?dry=true` : path, values);
    if (!dry) return show(current);
    const { expired, events, thinned } = result.would_remove;
    answer.textContent = `${isolated(device)}: ${number(expired + thinned)} points would be deleted: ${number(expired)} that are too old and ${number(thinned)} by thinning; also ${number(events)} visits, trips and events.`;
    answer.hidden = false;
  });
  rule.elements.dry.addEventListener("change", ({ target }) => {
    rule.querySelector("button.main").textContent = target.checked ? preview : save;
  });
  return [part("Retention", "Points are kept unless you set a limit. Old points are deleted overnight.",
    table(["Device", "Points are kept", ""], rows, ""), answer, rule)];
}

const base64 = (file) => new Promise((resolve, reject) => {
  const reader = new FileReader();
  reader.onload = () => resolve(String(reader.result).split(",")[1]);
  reader.onerror = () => reject(new Error("The picture cannot be read."));
  reader.readAsDataURL(file);
});

// MARK: Notices

const noticeWords = {
  "account.signed_in": (notice) => `New sign-in${notice.detail ? ` with ${program(notice.detail)}` : ""}`,
  "account.token_created": (notice) => `New token "${isolated(notice.detail)}"`,
  "account.password_changed": () => "The password was changed",
  "account.second_factor_removed": () => "The second factor was removed",
  "account.passkey_added": (notice) => `New passkey "${isolated(notice.detail)}"`,
  "account.passkey_removed": () => "A passkey was removed",
  "account.passkey_rejected": (notice) => `Refused: passkey "${isolated(notice.detail)}" may have been copied`,
};

// Security notices, until they are dismissed.
async function drawNotices() {
  const { notices } = await get("/api/v1/notices?limit=20");
  const rows = notices.map((notice) => {
    const dismiss = make("button", { type: "button", textContent: "This was me" });
    dismiss.setAttribute("aria-label", `This was me: ${noticeWords[notice.type]?.(notice) ?? notice.type}`);
    dismiss.addEventListener("click", async () => {
      dismiss.disabled = true;
      try {
        await change("DELETE", `/api/v1/notices/${notice.id}`);
        await drawNotices();
      } catch (error) {
        dismiss.disabled = false;
        toast(error.message);
      }
    });
    return { cells: [noticeWords[notice.type]?.(notice) ?? notice.type, when(notice.time),
      [notice.actor, notice.address].filter(Boolean).join(", "), dismiss] };
  });
  element("notices").replaceChildren(...(rows.length ? [part("Was this you?",
    "If not, change your password and revoke the tokens that you don't recognise.", table(["Event", "Time", "By", ""], rows, ""))] : []));
}

// MARK: Tabs

let current = "devices";

async function show(name) {
  current = name;
  for (const tab of element("tabs").children) {
    const isThis = tab.id === `tab-${name}`;
    tab.setAttribute("aria-selected", isThis);
    tab.tabIndex = isThis ? 0 : -1;
  }
  const pane = make("div", { id: `pane-${name}`, tabIndex: -1 });
  pane.setAttribute("role", "tabpanel");
  pane.setAttribute("aria-labelledby", `tab-${name}`);
  try {
    pane.append(...(await parts[name].draw()));
  } catch (error) {
    if (error instanceof Refused && error.status === 401) return leave();
    pane.append(make("p", { className: "problem", textContent: error.message }));
  }
  if (current !== name) return; // Another one was chosen meanwhile.
  element("panes").replaceChildren(pane);
  pane.querySelector("#zone-map")?.dispatchEvent(new Event("shown"));
  document.body.dataset.state = name;
  history.replaceState(null, "", `#${name}`);
}

const leave = () => location.replace(`/sign-in?next=${encodeURIComponent(location.pathname + location.hash)}`);

element("tabs").addEventListener("keydown", (event) => {
  const tabs = [...element("tabs").children];
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  const place = tabs.indexOf(document.activeElement);
  const next = event.key === "Home" ? 0 : event.key === "End" ? tabs.length - 1 : step ? (place + step + tabs.length) % tabs.length : null;
  if (next === null || place < 0) return;
  event.preventDefault();
  tabs[next].focus();
  tabs[next].click();
});

try {
  who = await get("/api/v1/session");
  const shown = Object.entries(parts).filter(([, { needsUser, needsAdministrator }]) =>
    (!needsUser || who.user) && (!needsAdministrator || who.administrator));
  element("tabs").append(...shown.map(([name, { title }]) => {
    const tab = make("button", { type: "button", id: `tab-${name}`, textContent: title });
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", `pane-${name}`);
    tab.addEventListener("click", () => show(name));
    return tab;
  }));
  drawNotices().catch((error) => toast(error.message));
  const wanted = () => {
    const named = location.hash.slice(1);
    return shown.some(([name]) => name === named) ? named : "devices";
  };
  addEventListener("hashchange", () => show(wanted()));
  whenBack(() => show(current));
  await show(wanted());
} catch (error) {
  if (error instanceof Refused && error.status === 401) leave();
  else throw error;
}
