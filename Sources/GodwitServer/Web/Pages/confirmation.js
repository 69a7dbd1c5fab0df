// Requires the password again before security-relevant actions.

import { change, get } from "/api.js";
import { make } from "/elements.js";
import { begin, provider } from "/openid.js";
import { isOffered, use } from "/passkey.js";
import { pieces, t } from "/texts.js";

// Resolves to true if the password was confirmed.
export const confirmation = () => new Promise((resolve) => {
  const problem = make("p", { className: "problem", hidden: true });
  problem.setAttribute("role", "alert");
  const password = make("input", { name: "password", type: "password", autocomplete: "current-password", required: true });
  const code = make("input", { name: "code", autocomplete: "one-time-code", autocapitalize: "none", spellcheck: false });
  const codeLabel = make("label", { hidden: true }, t("Code from your authenticator app, or a recovery code"), code);
  const cancel = make("button", { type: "button", textContent: t("Cancel") });
  const confirm = make("button", { className: "main", textContent: t("Confirm") });
  const passkey = make("button", { type: "button", textContent: t("Use a passkey"), hidden: true });
  const openID = make("button", { type: "button", hidden: true });
  const form = make("form", { noValidate: true }, make("h2", { textContent: t("Confirm it's you") }),
    make("p", { textContent: t("Enter your password to continue.") }), problem, make("label", {}, t("Password"), password), codeLabel,
    make("div", { className: "buttons" }, cancel, passkey, openID, confirm));
  const box = make("dialog", { className: "confirmation" }, form);
  box.setAttribute("aria-label", t("Confirm it's you"));
  let isConfirmed = false;
  cancel.addEventListener("click", () => box.close());
  box.addEventListener("close", () => {
    box.remove();
    resolve(isConfirmed);
  });
  passkey.addEventListener("click", async () => {
    problem.hidden = true;
    passkey.disabled = true;
    try {
      await use("/api/v1/session/confirmation/passkey");
      isConfirmed = true;
      box.close();
    } catch (error) {
      problem.textContent = error.message;
      problem.hidden = false;
    } finally {
      passkey.disabled = false;
    }
  });
  // OpenID creates a new, confirmed session. The user then repeats the action.
  openID.addEventListener("click", () => begin(location.pathname + location.search + location.hash, true).catch((error) => {
    problem.textContent = error.message;
    problem.hidden = false;
  }));
  provider().then((name) => {
    openID.hidden = name === null;
    openID.append(...pieces("Sign in again with {provider}", { provider: make("bdi", { textContent: name ?? "" }) }));
  }, () => {});
  // If the request fails, only the password is offered.
  if (isOffered) get("/api/v1/passkeys").then(({ passkeys }) => (passkey.hidden = !passkeys.some(({ host }) => host === location.hostname)), () => {});
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    problem.hidden = true;
    confirm.disabled = true;
    try {
      await change("POST", "/api/v1/session/confirmation", { password: password.value, code: code.value.trim() || undefined });
      isConfirmed = true;
      box.close();
    } catch (error) {
      const isCode = error.at === "code";
      if (isCode) codeLabel.hidden = false;
      // At first the code is not an error, only the next field to fill in.
      if (error.kind !== "code-needed") {
        problem.textContent = error.message;
        problem.hidden = false;
      }
      const field = isCode ? code : password;
      field.value = "";
      field.focus();
    } finally {
      confirm.disabled = false;
    }
  });
  document.body.append(box);
  box.showModal();
  password.focus();
});
