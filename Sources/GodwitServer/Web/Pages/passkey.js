// Passkeys (WebAuthn): creation, sign-in and confirmation.

import { change } from "/api.js";
import { t } from "/texts.js";

const encoded = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)))
  .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

const decoded = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));

const credentials = (list) => list.map((id) => ({ type: "public-key", id: decoded(id) }));

// Whether browsers support passkeys for this address: they require a host name, and not a numeric address.
export const hasHostName = /[a-z]/i.test(location.hostname.split(".").pop()) && !location.hostname.includes(":");

// Whether this browser supports passkeys at this address.
export const isOffered = isSecureContext && "PublicKeyCredential" in window && hasHostName;

// Runs a ceremony and replaces the browser's errors with messages for the user.
async function said(ceremony) {
  try {
    return await ceremony();
  } catch (error) {
    if (error.name === "NotAllowedError" || error.name === "AbortError") throw new Error(t("No passkey was used. Try again."));
    if (error.name === "InvalidStateError") throw new Error(t("This device has a passkey for your account already."));
    throw error;
  }
}

// Requests a passkey from the browser and sends its response. `path`: the route; the options are at `path`/options.
export async function use(path) {
  const { challenge, host, allow, timeout } = await change("POST", `${path}/options`);
  const { rawId, response } = await said(() => navigator.credentials.get({
    publicKey: {
      challenge: decoded(challenge), rpId: host, allowCredentials: credentials(allow), timeout, userVerification: "required",
    },
  }));
  return change("POST", path, {
    credential: encoded(rawId), client_data: encoded(response.clientDataJSON),
    authenticator_data: encoded(response.authenticatorData), signature: encoded(response.signature),
    user: response.userHandle?.byteLength ? encoded(response.userHandle) : undefined,
  });
}

// Creates a passkey with a name.
export async function create(name) {
  const options = await change("POST", "/api/v1/passkeys/options");
  const { response } = await said(() => navigator.credentials.create({
    publicKey: {
      challenge: decoded(options.challenge), rp: { id: options.host, name: "Godwit" }, timeout: options.timeout,
      user: { id: decoded(options.user_id), name: options.user_name, displayName: options.user_name },
      pubKeyCredParams: options.algorithms.map((alg) => ({ type: "public-key", alg })),
      excludeCredentials: credentials(options.exclude), attestation: "none",
      authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
    },
  }));
  return change("POST", "/api/v1/passkeys", {
    name, client_data: encoded(response.clientDataJSON), attestation: encoded(response.attestationObject),
  });
}
