// Texts of the audit log in the language of the page. Requests of the API are shown by their paths.

import { isolated } from "/format.js";
import { t } from "/texts.js";

const ACTIONS = {
  login: t("login by link"), "sign-in": t("signed in"), "sign-out": t("signed out"), "sign-in failed": t("sign-in failed"),
  "confirmation failed": t("password not confirmed"), "administrator token used": t("administrator token used"), "user add": t("user added"),
  "rename device": t("device renamed"), "empty the trash": t("trash emptied"),
};
const ACTORS = {
  "the administrator": t("the administrator"), "the command line": t("the command line"), "the server": t("the server"), "the proxy": t("the proxy"),
  "the OpenID provider": t("the OpenID provider"), "an OpenID identity": t("an OpenID identity"), "an unknown name": t("an unknown name"),
};
// How a user signed in.
const SIGN_INS = {
  "from a new browser": t("from a new browser"), "with OpenID": t("with OpenID"), "with a recovery code": t("with a recovery code"),
};

/** @type {(action: string) => string} */
export const actionText = (action) => ACTIONS[action] ?? action;
// A request with a token of a program has the number and the name of the token: "anna by tok_3 (backup)".
/** @type {(actor: string) => string} */
export function actorText(actor) {
  const [, user, name] = actor.match(/^(.*) by tok_\d+ \((.*)\)$/s) ?? [];
  return user ? t("{user}, with the token \"{name}\"", { user: isolated(ACTORS[user] ?? user), name: isolated(name) }) : ACTORS[actor] ?? actor;
}
// The objects of other actions are names.
/** @type {(entry: { action: string, subject: string }) => string} */
export const subjectText = ({ action, subject }) =>
  (action === "sign-in" ? subject.split(", ").map((part) => SIGN_INS[part] ?? part).join(", ") : subject);
/** @type {(address: string) => string} */
export const addressText = (address) => (address === "local" ? t("this server|address") : address);
