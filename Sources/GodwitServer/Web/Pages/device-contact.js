// Texts about the contact with a device: the last contact, and when the next one is expected.

import { duration } from "/format.js";
import { t } from "/texts.js";

const span = (seconds) => (seconds < 90 ? `${Math.round(seconds)}\u00a0s` : duration(seconds * 1000));

// When the next contact is expected, and the reason for that threshold.
export function expectation({ origin, threshold_seconds: threshold, usual_seconds: usual }) {
  switch (origin) {
    case "user": return t("offline after {time}, as configured", { time: span(threshold ?? 0) });
    case "off": return t("its settings turn sending off");
    case "rhythm": return t("usually reports within {time} at this hour", { time: span(usual ?? 0) });
    case "settings": return t("its settings send every {time}", { time: span(usual ?? 0) });
    case "stay": return t("stationary; no data expected for {time}", { time: span(threshold ?? 0) });
    default: return t("learning its rhythm: alert after {time}", { time: span(threshold ?? 0) });
  }
}

// For a device without a contact. Its points may be imported.
export const noContact = (hasPoints) => (hasPoints ? t("The device itself has not sent data yet.") : t("No data received yet."));

// A whole sentence. `contact`: as in the API.
export function contactText(contact, hasPoints) {
  if (contact.state === "never") return noContact(hasPoints);
  const values = { time: span(contact.seconds ?? 0), expectation: expectation(contact) };
  return contact.state === "offline"
    ? t("Overdue: last contact {time} ago; {expectation}.", values) : t("Last contact {time} ago; {expectation}.", values);
}

// The reason of a notice.
export const noticeText = (notice) => (notice.type === "device.silent"
  ? t("last contact {time} ago; {expectation}", { time: span(notice.offline_seconds), expectation: expectation(notice) })
  : t("online again after {time}", { time: span(notice.offline_seconds) }));
