// Asks for the password again before security-relevant actions.

import { change } from "/api.js";
import { make } from "/elements.js";

// Resolves to whether the password was confirmed.
export const confirmation = () => new Promise((resolve) => {
  const problem = make("p", { className: "problem", hidden: true });
  problem.setAttribute("role", "alert");
  const password = make("input", { name: "password", type: "password", autocomplete: "current-password", required: true });
  const code = make("input", { name: "code", autocomplete: "one-time-code", autocapitalize: "none", spellcheck: false });
  const codeLabel = make("label", { hidden: true }, "Code from your authenticator app, or a recovery code", code);
  const cancel = make("button", { type: "button", textContent: "Cancel" });
  const confirm = make("button", { className: "main", textContent: "Confirm" });
  const form = make("form", { noValidate: true }, make("h2", { textContent: "Confirm it's you" }),
    make("p", { textContent: "Enter your password to continue." }), problem, make("label", {}, "Password", password), codeLabel,
    make("div", { className: "buttons" }, cancel, confirm));
  const box = make("dialog", { className: "confirmation" }, form);
  box.setAttribute("aria-label", "Confirm it's you");
  let isConfirmed = false;
  cancel.addEventListener("click", () => box.close());
  box.addEventListener("close", () => {
    box.remove();
    resolve(isConfirmed);
  });
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
      // The first time the code is only the next thing to enter.
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
