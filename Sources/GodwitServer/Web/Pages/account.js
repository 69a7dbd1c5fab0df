// The account page: devices, tokens, links, friends and private zones; also users, for administrators.

import { Refused, change, devices as allDevices, get, whenBack } from "/api.js";
import { dataParts } from "/account-data.js";
import { choices, form } from "/account-form.js";
import { actionText, actorText, addressText, subjectText } from "/audit-words.js";
import { fromField, momentOf } from "/days.js";
import { picture } from "/device-setup.js";
import { action as button, copyButton, element, make, named, part, searchable, toast, when } from "/elements.js";
import { byName, isolated, meters, number, program, timeZone } from "/format.js";
import { create, hasHostName, isOffered } from "/passkey.js";
import { photoSettings } from "/photo-settings.js";
import { pieces, plural, t } from "/texts.js";

// The time of a field in the time zone in which times are shown. `at`: the name of the field.
function moment(value, at) {
  if (!value) return undefined;
  const time = fromField(value, timeZone);
  if (time === null) throw Object.assign(new Error(t("The clocks do not show this time on that day.")), { at });
  return new Date(time).toISOString();
}

let who = { user: null, administrator: false };

// MARK: Pieces

// Headings of the columns with times.
const TIME_HEADS = new Set([t("Created"), t("Last used"), t("Expires"), t("Time"), t("Last seen"), t("Since"), t("From"), t("To")]);

// A table; a cell is text or an element.
function table(heads, rows, none) {
  if (!rows.length) return make("p", { className: "none", textContent: none });
  const head = make("tr", {}, ...heads.map((text) => make("th", { scope: "col" }, text || make("span", { className: "hidden", textContent: t("Actions") }))));
  const body = rows.map(({ cells, over }) =>
    make("tr", { className: over ? "over" : "" }, ...cells.map((cell, index) => {
      const kind = TIME_HEADS.has(heads[index]) ? "time" : "";
      return make("td", { className: kind, data: { head: heads[index] } }, cell ?? "–");
    })));
  return make("div", { className: "table" }, make("table", {}, make("thead", {}, head), make("tbody", {}, ...body)));
}

// A button that runs an action and then redraws the part.
const action = (text, label, run, options) => button(text, label, run, () => show(current), options);

// A box with a secret that is shown once.
function secret(text, value, ...more) {
  const box = make("div", { className: "secret", tabIndex: -1 }, make("p", { textContent: text }), ...value.split("\n").map((line) => make("code", { textContent: line })),
    make("div", {}, copyButton(value), ...more));
  box.setAttribute("role", "status");
  return box;
}

async function showSecret(pane, box) {
  await show(current);
  element(`pane-${pane}`).prepend(box);
  box.focus();
}

const devices = async () => (await allDevices()).filter((device) => device.access === "all");

const SCOPES = { read: t("read"), write: t("send, as a device"), admin: t("full access") };
const ROLES = { member: t("member"), admin: t("administrator") };

// MARK: Parts

const parts = {
  devices: {
    title: t("Devices"),
    async draw() {
      const list = await allDevices();
      const rows = list.map((device) => ({
        cells: [named(device.name), device.owner ? named(device.owner) : t("administrator"), device.points === null ? "" : number(device.points),
          when(device.last_contact), device.access === "all"
            ? action(t("Revoke tokens"), t("Revoke the tokens of {name}", { name: device.name }), async () => {
              const { revoked } = await change("DELETE", `/api/v1/devices/${encodeURIComponent(device.name)}/tokens`);
              return plural(revoked, "{n} token revoked.", "{n} tokens revoked.");
            }, { danger: true }) : ""],
      }));
      return [
        part(t("Devices"), t("Devices sign in with a token. Revoking it keeps their data."),
          searchable(table([t("Name"), t("User"), t("Points"), t("Last seen"), ""], rows, t("No devices yet.")), "devices")),
        part(t("Add a device"), null, make("p", {}, make("a", { className: "alone", href: "/welcome", textContent: t("Add a phone or a computer") })),
          make("p", {}, ...pieces("Another token for a device is made on the page {devices}.", { devices: make("a", { href: "/devices", textContent: t("Devices") }) }))),
        ...(await retention(await devices())),
      ];
    },
  },
  tokens: {
    title: t("Tokens"),
    async draw() {
      const { tokens } = await get("/api/v1/tokens");
      const list = await devices();
      const rows = tokens.map((token) => ({
        over: token.revoked !== null,
        cells: [named(token.name), (SCOPES[token.scope] ?? token.scope) + (token.device ? `: ${isolated(token.device)}` : ""), when(token.created), when(token.expires),
          token.used ? `${when(token.used)}${token.address ? `, ${token.address}` : ""}` : t("never"),
          token.revoked ? t("revoked") : action(t("Revoke"), t("Revoke {name}", { name: token.name }), async () => {
            await change("DELETE", `/api/v1/tokens/${token.id}`);
          }, { danger: true })],
      }));
      return [
        part(t("API tokens"), t("Send a token as Authorization: Bearer TOKEN."),
          searchable(table([t("Name"), t("Scope"), t("Created"), t("Expires"), t("Last used"), ""], rows, t("No tokens yet.")), "tokens")),
        part(t("Create a token"), null, form([
          ["name", t("Name"), { required: true, placeholder: "grafana" }],
          ["scope", t("Scope"), { options: Object.entries(SCOPES) }],
          ["device", t("Device"), { options: [["", t("all devices")], ...choices(list)] }],
          ["expires", t("Expires"), { type: "date" }],
        ], t("Create token"), async ({ expires, ...values }) => {
          const made = await change("POST", "/api/v1/tokens", { ...values, expires: expires && momentOf(expires, timeZone) });
          await showSecret("tokens", secret(t("Token \"{name}\" – copy it now, it won't be shown again:", { name: isolated(made.name) }), made.token));
        })),
      ];
    },
  },
  links: {
    title: t("Sharing"),
    async draw() {
      const { links } = await get("/api/v1/links");
      const list = await devices();
      const over = (link) => link.revoked !== null || (link.expires && Date.parse(link.expires) < Date.now());
      const rows = links.map((link) => ({
        over: over(link),
        cells: [
          make("span", {}, named(link.name), make("small", { textContent: [link.devices.map(isolated).join(", "), link.grid ? t("within {grid} m", { grid: link.grid }) : t("exact"),
            link.delay ? t("{n} min delay", { n: Math.round(link.delay / 60) }) : "", link.password ? t("with a password") : ""].filter(Boolean).join(" · ") })),
          when(link.from), link.to ? when(link.to) : t("live"), when(link.expires), `${link.views}`,
          over(link) ? t("ended") : action(t("End"), t("End the link {name}", { name: link.name }), async () => {
            await change("DELETE", `/api/v1/links/${link.id}`);
          }, { danger: true })],
      }));
      return [
        part(t("Links"), t("Anyone with the link can see the chosen period on a map – nothing else."),
          searchable(table([t("Name"), t("From"), t("To"), t("Expires"), t("Views"), ""], rows, t("Nothing is shared.")), "links")),
        part(t("Share"), t("Live until it expires, unless you set an end."), !list.length ? make("p", {}, ...pieces("No devices yet. {add}.", { add: make("a", { href: "/welcome", textContent: t("Add your phone") }) })) : form([
          ["devices", t("Devices"), { options: choices(list), multiple: true }],
          ["name", t("Name (visible to viewers)"), { placeholder: t("On the way home"), required: true }],
          ["from", t("Start (now)"), { type: "datetime-local" }],
          ["to", t("End (live)"), { type: "datetime-local" }],
          ["expires", t("Expires (in 1 day)"), { type: "datetime-local" }],
          ["grid", t("Precision"), { options: [["", t("exact")], ["100", t("within 100 m")], ["500", t("within 500 m")], ["2000", t("within 2 km")], ["10000", t("within 10 km")]] }],
          ["delay", t("Delay"), { options: [["", t("none")], ["900", t("15 minutes")], ["3600", t("1 hour")], ["86400", t("1 day")]] }],
          ["password", t("Password (none)"), { type: "password", autocomplete: "new-password" }],
        ], t("Create link"), async ({ grid, delay, from, to, expires, ...values }) => {
          if (!values.devices.length) throw Object.assign(new Error(t("Choose at least one device.")), { at: "devices" });
          const made = await change("POST", "/api/v1/links", {
            ...values, from: moment(from, "from"), to: moment(to, "to"), expires: moment(expires, "expires"),
            grid: grid && Number(grid), delay: delay && Number(delay),
          });
          await showSecret("links", secret(t("Link \"{name}\" – copy it now, it won't be shown again:", { name: isolated(made.name) }), `${location.origin}${made.path}`,
            make("a", { href: made.path, target: "_blank", rel: "noopener", textContent: t("Open") })));
        })),
      ];
    },
  },
  friends: {
    title: t("Friends"),
    needsUser: true,
    async draw() {
      const { friends, positions } = await get("/api/v1/friends");
      const card = await get("/api/v1/profile");
      const words = { accepted: "", requested: t("invitation sent"), pending: t("wants to connect") };
      const rows = friends.map((friend) => {
        const { user } = friend;
        const [text, label] = {
          pending: [t("Decline"), t("Decline the invitation of {user}", { user })],
          requested: [t("Withdraw"), t("Withdraw the invitation to {user}", { user })],
        }[friend.state] ?? [t("Stop sharing"), t("Stop sharing with {user}", { user })];
        const end = action(text, label, async () => {
          await change("DELETE", `/api/v1/friends/${friend.id}`);
        }, { danger: true });
        const agree = friend.state === "pending"
          ? action(t("Accept"), t("Accept {user}", { user: friend.user }), async () => {
            await change("POST", "/api/v1/friends", { user: friend.user, direction: friend.direction });
          }) : null;
        return {
          cells: [named(friend.user), friend.direction === "show" ? t("sees you") : t("visible to you"),
            friend.access === "latest" ? t("current location") : t("history since {since}", { since: when(friend.since) }), words[friend.state] || when(friend.accepted),
            make("span", {}, agree, " ", end)],
        };
      });
      const there = positions.map(({ name, avatar, last }) => ({
        cells: [make("span", {}, avatar ? make("img", { className: "avatar", alt: "", src: `data:image;base64,${avatar}` }) : null, named(name)),
          named(last.properties.device_id), when(last.properties.timestamp),
          make("a", { href: "/", textContent: t("Show on map") })],
      }));
      return [
        part(t("Shared with you"), null, table([t("Name"), t("Device"), t("Last seen"), ""], there, t("No friends share their location with you yet."))),
        part(t("Friends"), t("Both of you must agree; either can stop at any time."),
          searchable(table([t("User"), t("Direction"), t("Shares"), t("Since"), ""], rows, t("No friends yet.")), "friends")),
        part(t("Invite a friend"), null, form([
          ["user", t("User"), { required: true }],
          ["direction", t("Direction"), { options: [["show", t("share mine")], ["see", t("see theirs")]] }],
          ["access", t("Share"), { options: [["latest", t("current location")], ["history", t("location history from now on")]] }],
        ], t("Invite"), async (values) => {
          if (values.direction === "see") delete values.access;
          await change("POST", "/api/v1/friends", values);
          toast(t("Invitation sent."));
          await show(current);
        })),
        part(t("How friends see you"), t("Your name and picture on their maps and in the OwnTracks app."), form([
          ["name", t("Name"), { value: card.name ?? "", placeholder: who.user.name }],
          ["tid", t("Initials (2 letters)"), { value: card.tid ?? "", maxLength: 2 }],
          ["picture", t("Picture"), { type: "file", accept: "image/png,image/jpeg" }],
        ], t("Save"), async ({ name, tid }, made) => {
          const file = made.elements.picture.files[0];
          await change("PUT", "/api/v1/profile", { name, tid, avatar: file ? await base64(file) : card.avatar ?? undefined });
          toast(t("Saved."));
          await show(current);
        })),
      ];
    },
  },
  zones: {
    title: t("Private zones"),
    async draw() {
      const { zones, counts } = await get("/api/v1/zones");
      const rows = zones.map((zone) => ({
        cells: [named(zone.name), zone.radius ? t("{radius} around {position}", { radius: meters(zone.radius), position: `${zone.center.latitude.toFixed(4)}, ${zone.center.longitude.toFixed(4)}` })
          : plural(zone.polygon.length - 1, "area with {n} corner", "area with {n} corners"), zone.inside === "coarsen" ? t("blurred") : t("not stored"),
        action(t("Remove"), t("Remove {name}", { name: zone.name }), async () => {
          await change("DELETE", `/api/v1/zones/${zone.id}`);
        }, { danger: true })],
      }));
      const counted = counts.filter((count) => count.coarsened + count.dropped > 0).map((count) => ({
        cells: [named(count.device), number(count.coarsened), number(count.dropped)],
      }));
      const add = form([
        ["name", t("Name"), { required: true, placeholder: t("Home") }],
        ["latitude", t("Latitude"), { type: "number", step: "any", required: true }],
        ["longitude", t("Longitude"), { type: "number", step: "any", required: true }],
        ["radius", t("Radius (m)"), { type: "number", min: 50, value: 300 }],
        ["inside", t("Points inside"), { options: [["coarsen", t("blur")], ["drop", t("don't store")]] }],
      ], t("Add zone"), async ({ latitude, longitude, ...values }) => {
        await change("POST", "/api/v1/zones", { ...values, center: { latitude, longitude } });
        toast(t("Zone saved; applies to new points."));
        await show(current);
      });
      const { zoneMap } = await import("/zone-map.js");
      const places = (await devices()).flatMap(({ last }) => (last ? [last.geometry.coordinates] : []));
      return [
        part(t("Private zones"), t("Points inside a zone are blurred before they are stored, or not stored. Existing points are not changed."),
          table([t("Name"), t("Where"), t("Inside"), ""], rows, t("No zones yet.")),
          counted.length ? table([t("Device"), t("Blurred"), t("Not stored")], counted, "") : null),
        part(t("Add a zone"), t("Click its centre on the map, or enter it below."), zoneMap(zones, places, add), add),
      ];
    },
  },
  photos: {
    title: t("Photos"),
    draw: () => photoSettings(() => show(current)),
  },
  data: {
    title: t("Your data"),
    draw: () => dataParts(who),
  },
  you: {
    title: t("Sessions"),
    needsUser: true,
    async draw() {
      const { sessions } = await get("/api/v1/sessions");
      const factor = await get("/api/v1/second-factor");
      const rows = sessions.map((session) => ({
        cells: [make("span", { title: session.agent, textContent: program(session.agent) }), session.address, when(session.created), when(session.used),
          session.current ? t("this session") : action(t("Sign out"), t("Sign out of this session"), async () => {
            await change("DELETE", `/api/v1/sessions/${session.id}`);
          })],
      }));
      return [
        part(t("Where you are signed in"), null, table([t("Browser"), t("Address"), t("Created"), t("Last used"), ""], rows, t("No sessions.")),
          sessions.length > 1 ? action(t("Sign out everywhere else"), t("Sign out of all other sessions"), async () => {
            const { ended } = await change("DELETE", "/api/v1/sessions?others=true");
            return plural(ended, "{n} session ended.", "{n} sessions ended.");
          }) : null),
        part(t("Password"), t("Changing it signs you out elsewhere."), form([
          ["old", t("Old password"), { type: "password", autocomplete: "current-password", required: true }],
          ["new", t("New password"), { type: "password", autocomplete: "new-password", required: true }],
          ["end_tokens", t("Also revoke all API tokens"), { type: "checkbox" }],
        ], t("Change password"), async (values, made) => {
          const { revoked } = await change("POST", "/api/v1/password", values);
          made.reset();
          toast([t("Password changed."), revoked ? plural(revoked, "{n} token revoked.", "{n} tokens revoked.") : ""].join(" "));
          await show(current);
        })),
        passkeyPart((await get("/api/v1/passkeys")).passkeys),
        ...(factor.enrolled ? enrolledParts(factor) : [enrolmentPart()]),
      ];
    },
  },
  users: {
    title: t("Users"),
    needsAdministrator: true,
    async draw() {
      const { users } = await get("/api/v1/users");
      const rows = users.sort((a, b) => byName(a.name, b.name)).map((user) => ({
        cells: [named(user.name), ROLES[user.role] ?? user.role, `${user.devices}`, user.second_factor ? t("on") : t("off"), when(user.created), make("span", {},
          ...(user.second_factor ? [action(t("Remove second factor"), t("Remove the second factor of {name}", { name: user.name }), async () => {
            await change("DELETE", `/api/v1/users/${encodeURIComponent(user.name)}/second-factor`);
          }, { danger: true }), " "] : []),
          ...(user.passkeys ? [action(t("Remove passkeys"), t("Remove the passkeys of {name}", { name: user.name }), async () => {
            await change("DELETE", `/api/v1/users/${encodeURIComponent(user.name)}/passkeys`);
          }, { danger: true }), " "] : []),
          ...(user.openid ? [action(t("Unlink OpenID"), t("Remove the OpenID link of {name}", { name: user.name }), async () => {
            await change("DELETE", `/api/v1/users/${encodeURIComponent(user.name)}/openid`);
          }, { danger: true }), " "] : []),
          action(user.role === "admin" ? t("Make a member") : t("Make an administrator"), t("Change the role of {name}", { name: user.name }), async () => {
            await change("PUT", `/api/v1/users/${encodeURIComponent(user.name)}`, { role: user.role === "admin" ? "member" : "admin" });
          }), " ", action(t("Remove"), t("Remove {name}", { name: user.name }), async () => {
            await change("DELETE", `/api/v1/users/${encodeURIComponent(user.name)}?data=keep`);
          }, { danger: true }))],
      }));
      return [
        part(t("Users"), users.length ? t("Members see their own data and what friends share.") : t("Create your own account first: it becomes the administrator, and everyone must sign in from then on."),
          searchable(table([t("Name"), t("Role"), t("Devices"), t("Second factor"), t("Created"), ""], rows, t("No users yet.")), "users")),
        part(t("Add a user"), null, form([
          ["name", t("Name"), { required: true, autocomplete: "off" }],
          ["password", t("Password"), { type: "password", autocomplete: "new-password", required: true }],
          ["role", t("Role"), { options: Object.entries(ROLES) }],
        ], t("Add"), async (values) => {
          await change("POST", "/api/v1/users", values);
          // The session belonged to the administrator's token. It ends, and the new user signs in.
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
    title: t("Log"),
    async draw() {
      const list = make("div");
      let rows = [];
      let after = "";
      const more = make("button", { type: "button", textContent: t("Earlier") });
      const load = async () => {
        more.disabled = true;
        const { entries, next_cursor: next } = await get(`/api/v1/audit?limit=50${after ? `&cursor=${after}` : ""}`);
        rows = rows.concat(entries.map((entry) => ({ cells: [when(entry.time), named(actorText(entry.actor)), actionText(entry.action), entry.subject ? named(subjectText(entry)) : null, addressText(entry.address)] })));
        after = next;
        more.hidden = next === null;
        more.disabled = false;
        list.replaceChildren(table([t("Time"), t("User"), t("Action"), t("Object"), t("Address")], rows, t("No entries yet.")));
      };
      more.addEventListener("click", () => load().catch((error) => {
        more.disabled = false;
        toast(error.message);
      }));
      await load();
      return [part(t("Log"), t("Sign-ins, changes and exports of the last year."), list, more)];
    },
  },
};

// MARK: Passkeys

// The name of a passkey, and the button that opens a form to change it.
function passkeyName(passkey) {
  const place = make("span", {}, make("bdi", { textContent: passkey.name }), passkey.synced ? make("small", { textContent: t("synced") }) : null);
  const rename = make("button", { type: "button", textContent: t("Rename") });
  rename.setAttribute("aria-label", t("Rename {name}", { name: passkey.name }));
  rename.addEventListener("click", () => {
    const input = make("input", { name: "name", value: passkey.name, maxLength: 64, required: true });
    input.setAttribute("aria-label", t("Name of the passkey"));
    const renaming = make("form", { className: "rename" }, input, make("button", { className: "main", textContent: t("Save") }));
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

// The passkeys of the user. A browser that supports passkeys also gets a form to add one.
function passkeyPart(passkeys) {
  const rows = passkeys.map((passkey) => {
    const { place, rename } = passkeyName(passkey);
    return {
      cells: [place, passkey.host, when(passkey.created), passkey.used ? when(passkey.used) : t("never"), make("span", {}, rename, " ",
        action(t("Remove"), t("Remove {name}", { name: passkey.name }), async () => {
          await change("DELETE", `/api/v1/passkeys/${passkey.id}`);
        }, { danger: true }))],
    };
  });
  const local = new URL(location.href);
  local.hostname = "localhost";
  const why = isOffered ? null
    : !hasHostName && location.hostname.startsWith("127.") ? make("p", { className: "none" }, ...pieces("To add one, open this page as {address}.", { address: make("a", { href: local.href, textContent: local.origin }) }))
      : make("p", { className: "none", textContent: hasHostName ? t("To add one, open this page over HTTPS in a browser with passkeys.") : t("To add one, open this page under a host name over HTTPS.") });
  return part(t("Passkeys"), t("Sign in with a fingerprint, a face, a PIN or a security key instead of the password and the code."),
    table([t("Name"), t("Host"), t("Created"), t("Last used"), ""], rows, t("No passkeys yet.")), why,
    isOffered ? form([["name", t("Name"), { required: true, maxLength: 64, value: program(navigator.userAgent) }]], t("Add a passkey"), async ({ name }) => {
      await create(name ?? "");
      toast(t("Passkey added."));
      await show(current);
    }) : null);
}

// MARK: Second factor

const passwordField = ["password", t("Password"), { type: "password", autocomplete: "current-password", required: true }];
const codeField = ["code", t("Code"), { autocomplete: "one-time-code", autocapitalize: "none", required: true }];

const recoveryBox = (codes) => secret(t("Your recovery codes. Each signs you in once without the app. They won't be shown again:"),
  codes.join("\n"));

// Asks for the password, then shows a QR code and asks for the first code of the app.
function enrolmentPart() {
  const place = part(t("Second factor"), t("An authenticator app shows a code that you enter after the password."));
  place.append(form([passwordField], t("Set up"), async (values) => {
    const { secret: text, uri } = await change("POST", "/api/v1/second-factor", values);
    const confirm = form([codeField], t("Turn on"), async (entered) => {
      const { recovery_codes: codes } = await change("POST", "/api/v1/second-factor/activation", entered);
      await showSecret("you", recoveryBox(codes));
    });
    place.replaceChildren(make("h2", { textContent: t("Second factor") }),
      make("p", { textContent: t("Scan this code with your authenticator app, or enter the key. Then enter the code that the app shows.") }),
      await picture(uri, t("QR code for the authenticator app")), make("p", {}, ...pieces("Key: {key}", { key: make("code", { id: "factor-key", textContent: text }) })), confirm);
    confirm.elements.code.focus();
  }));
  return place;
}

const enrolledParts = (factor) => [
  part(t("Second factor"), [t("On since {time}.", { time: when(factor.since) }), plural(factor.recovery_codes, "{n} recovery code left.", "{n} recovery codes left.")].join(" "),
    form([passwordField, codeField], t("Create new recovery codes"), async (values) => {
      const { recovery_codes: codes } = await change("POST", "/api/v1/second-factor/recovery-codes", values);
      await showSecret("you", recoveryBox(codes));
    }),
    form([passwordField, codeField], t("Turn off"), async (values) => {
      await change("POST", "/api/v1/second-factor/removal", values);
      toast(t("The second factor is off."));
      await show(current);
    })),
];

// The retention rules of devices.
async function retention(list) {
  if (!list.length) return [];
  const rules = await Promise.all(list.map(({ name }) => get(`/api/v1/devices/${encodeURIComponent(name)}/retention`)));
  const rows = list.map(({ name }, index) => {
    const rule = rules[index];
    const words = [rule.keep_days ? plural(rule.keep_days, "{n} day", "{n} days") : t("unlimited"),
      rule.thin_days ? plural(rule.thin_days, "after {n} day one point every {minutes} min", "after {n} days one point every {minutes} min", { minutes: rule.thin_minutes }) : ""].filter(Boolean).join("; ");
    return { cells: [named(name), words, rule.keep_days || rule.thin_days ? action(t("Keep everything"), t("Keep all points of {name}", { name }), async () => {
      await change("DELETE", `/api/v1/devices/${encodeURIComponent(name)}/retention`);
    }) : ""] };
  });
  const answer = make("p", { className: "none", hidden: true });
  answer.setAttribute("role", "status");
  const [preview, save] = [t("Preview"), t("Save")];
  const rule = form([
    ["device", t("Device"), { options: choices(list) }],
    ["keep_days", t("Delete after (days)"), { type: "number", min: 1 }],
    ["thin_days", t("Thin out after (days)"), { type: "number", min: 1 }],
    ["thin_minutes", t("Keep one point every (min)"), { type: "number", min: 1 }],
    ["dry", t("Preview only"), { type: "checkbox", checked: true }],
  ], preview, async ({ device, dry, ...values }) => {
    const path = `/api/v1/devices/${encodeURIComponent(device)}/retention`;
    const result = await change("PUT", dry ? `${path}?dry=true` : path, values);
    if (!dry) return show(current);
    const { expired, events, thinned } = result.would_remove;
    answer.textContent = t("{device}: points that would be deleted: {all} ({expired} too old, {thinned} by thinning). Visits, trips and events: {events}.", { device: isolated(device), all: number(expired + thinned), expired: number(expired), thinned: number(thinned), events: number(events) });
    answer.hidden = false;
  });
  rule.elements.dry.addEventListener("change", ({ target }) => {
    rule.querySelector("button.main").textContent = target.checked ? preview : save;
  });
  return [part(t("Retention"), t("Points are kept unless you set a limit. Old points are deleted overnight."),
    searchable(table([t("Device"), t("Points are kept"), ""], rows, ""), "retention"), answer, rule)];
}

const base64 = (file) => new Promise((resolve, reject) => {
  const reader = new FileReader();
  reader.onload = () => resolve(String(reader.result).split(",")[1]);
  reader.onerror = () => reject(new Error(t("The picture cannot be read.")));
  reader.readAsDataURL(file);
});

// MARK: Notices

const noticeWords = {
  "account.signed_in": (notice) => (notice.detail ? t("New sign-in with {program}", { program: program(notice.detail) }) : t("New sign-in")),
  "account.token_created": (notice) => t("New token \"{detail}\"", { detail: isolated(notice.detail) }),
  "account.password_changed": () => t("The password was changed"),
  "account.second_factor_removed": () => t("The second factor was removed"),
  "account.passkey_added": (notice) => t("New passkey \"{detail}\"", { detail: isolated(notice.detail) }),
  "account.passkey_removed": () => t("A passkey was removed"),
  "account.passkey_rejected": (notice) => t("Refused: passkey \"{detail}\" may have been copied", { detail: isolated(notice.detail) }),
};

// Security notices, until they are dismissed.
async function drawNotices() {
  const { notices } = await get("/api/v1/notices?limit=20");
  const rows = notices.map((notice) => {
    const dismiss = make("button", { type: "button", textContent: t("This was me") });
    dismiss.setAttribute("aria-label", t("This was me: {event}", { event: noticeWords[notice.type]?.(notice) ?? notice.type }));
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
      [actorText(notice.actor), notice.address].filter(Boolean).join(", "), dismiss] };
  });
  const shown = (some) => table([t("Event"), t("Time"), t("By"), ""], some, "");
  const wasOpen = document.querySelector("#notices details")?.open ?? false;
  element("notices").replaceChildren(...(rows.length ? [part(t("Was this you?"), t("If not, change your password and revoke the tokens that you don't recognise."),
    shown(rows.slice(0, 3)), rows.length > 3 ? make("details", { open: wasOpen }, make("summary", { textContent: `${t("Earlier")} (${number(rows.length - 3)})` }), shown(rows.slice(3))) : null)] : []));
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
