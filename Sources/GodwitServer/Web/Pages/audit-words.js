// Texts of the audit log in the language of the page. Requests of the API are shown by their paths.

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

/** @type {(action: string) => string} */
export const actionText = (action) => ACTIONS[action] ?? action;
/** @type {(actor: string) => string} */
export const actorText = (actor) => ACTORS[actor] ?? actor;
