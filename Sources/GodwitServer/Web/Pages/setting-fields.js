// The settings that a server may change, as fields of forms. They correspond to the table of settings (Settings+Table.swift), with its
// titles, sentences and values. SettingFieldTests compares both.

import { number } from "/format.js";
import { plural, t } from "/texts.js";

const DISTANCES = ["off", "1m", "10m", "50m", "100m", "500m"];
const TIMES = ["1s", "5s", "10s", "30s", "1m", "2m", "5m"];
const ACCURACIES = ["nav", "best", "10m", "100m", "1km", "3km"];
const ACTIVITIES = ["other", "car", "fitness", "nav", "air"];
const LOGGING = ["all", "latest", "owntracks"];
const BATCHES = [50, 100, 200, 500, 1000];
const FLAG = [true, false];

export const sections = [
  {
    name: "main", title: t("While tracking"), fields: [
      { name: "main.policy", title: t("Policy"), summary: t("What determines the demands on location services: these settings (fixed), or a policy that follows the motion."), values: ["fixed", "filtered", "by_motion", "two_state", "adaptive"], standard: "fixed" },
      { name: "main.tracking_mode", title: t("Tracking mode"), summary: t("Which location service runs."), values: ["off", "standard", "significant", "both"], standard: "standard" },
      { name: "main.visit_tracking", title: t("Visit tracking"), summary: t("Whether stays at places are recorded."), values: FLAG, standard: false },
      { name: "main.desired_accuracy", title: t("Desired accuracy"), summary: t("Requested accuracy of the location services."), values: ACCURACIES, standard: "100m" },
      { name: "main.activity_type", title: t("Activity type"), summary: t("A hint to the location services when to pause."), values: ACTIVITIES, standard: "other" },
      { name: "main.background_indicator", title: t("Background indicator"), summary: t("Whether the system shows that location is used in the background."), values: FLAG, standard: false },
      { name: "main.pause_automatically", title: t("Pause automatically"), summary: t("Whether the system may pause updates that seem useless."), values: FLAG, standard: false },
      { name: "main.logging_mode", title: t("Logging mode"), summary: t("Part of the queue that is sent: everything, only the newest fix, or the newest fix in OwnTracks' format."), values: LOGGING, standard: "all" },
      { name: "main.batch_size", title: t("Locations per batch"), summary: t("Records in one request; a full batch is sent at once."), values: BATCHES, standard: 200 },
      { name: "main.resume_with_geofence", title: t("Resume with geofence"), summary: t("Radius around the place of a pause; leaving it resumes tracking."), values: ["off", "100m", "200m", "500m", "1km", "2km"], standard: "off" },
      { name: "main.min_distance", title: t("Min distance"), summary: t("Fixes closer than this to the last recorded one are dropped."), values: DISTANCES, standard: "off" },
      { name: "main.min_time", title: t("Min time"), summary: t("Fixes sooner than this after the last recorded one are dropped; 1s records all."), values: TIMES, standard: "1s" },
      { name: "main.max_accuracy", title: t("Max accuracy"), summary: t("Fixes with a larger radius of uncertainty are dropped."), values: ["off", "10m", "50m", "100m", "500m", "1000m"], standard: "off" },
    ],
  },
  {
    name: "system", title: t("The device"), fields: [
      { name: "send_interval", title: t("Send interval"), summary: t("Interval between uploads; off sends only manually."), values: ["1s", "5s", "10s", "15s", "30s", "1m", "2m", "5m", "10m", "30m", "1h", "3h", "6h", "off"], standard: "5m" },
      { name: "trip_mode", title: t("Trip mode"), summary: t("Mode of transport of the next trip."), values: ["walk", "run", "bicycle", "car", "taxi", "bus", "tram", "train", "metro", "gondola", "monorail", "sleigh", "plane", "boat", "scooter"], standard: "bicycle" },
    ],
  },
  {
    name: "trip", title: t("On a trip"), fields: [
      { name: "trip.desired_accuracy", title: t("Desired accuracy"), summary: t("Requested accuracy of the location services during a trip."), values: ACCURACIES, standard: "100m" },
      { name: "trip.activity_type", title: t("Activity type"), summary: t("The hint to the location services during a trip."), values: ACTIVITIES, standard: "other" },
      { name: "trip.background_indicator", title: t("Background indicator"), summary: t("Whether the system shows during a trip that location is used in the background."), values: FLAG, standard: true },
      { name: "trip.prevent_screen_lock", title: t("Prevent screen lock"), summary: t("Whether the screen stays on during a trip."), values: FLAG, standard: false },
      { name: "trip.logging_mode", title: t("Logging mode"), summary: t("Part of the queue that is sent during a trip."), values: LOGGING, standard: "all" },
      { name: "trip.batch_size", title: t("Locations per batch"), summary: t("Records in one request during a trip."), values: BATCHES, standard: 200 },
      { name: "trip.min_distance", title: t("Min distance"), summary: t("Minimum distance between recorded fixes during a trip."), values: DISTANCES, standard: "off" },
      { name: "trip.min_time", title: t("Min time"), summary: t("Minimum time between recorded fixes during a trip; 1s records all."), values: TIMES, standard: "1s" },
    ],
  },
];

// Settings for a purpose, as in Preset.swift.
export const presets = [
  {
    title: t("High resolution"), summary: t("Up to a point a second while moving. Uses a lot of battery."),
    values: {
      "main.policy": "fixed", "main.tracking_mode": "standard", "main.pause_automatically": false, "main.resume_with_geofence": "off",
      "main.activity_type": "other", "main.desired_accuracy": "best",
    },
  },
  {
    title: t("Battery saving"), summary: t("Rough area only; notices when you leave home. Uses hardly any battery."),
    values: {
      "main.policy": "fixed", "main.tracking_mode": "significant", "main.pause_automatically": true, "main.resume_with_geofence": "500m",
      "main.activity_type": "other", "main.desired_accuracy": "100m",
    },
  },
  {
    title: t("Adaptive"), summary: t("Precise while moving, off at rest; resumes when you leave a place."),
    values: {
      "main.policy": "adaptive", "main.tracking_mode": "both", "main.visit_tracking": true, "main.pause_automatically": false,
      "main.resume_with_geofence": "off", "main.activity_type": "other", "main.desired_accuracy": "best", "main.batch_size": 1000,
      "send_interval": "3h",
    },
  },
];

const WORDS = {
  off: t("Off"), fixed: t("Fixed"), filtered: t("Filtered"), by_motion: t("By motion"), two_state: t("Two state"), adaptive: t("Adaptive"),
  standard: t("Standard"), significant: t("Significant"), both: t("Both"), nav: t("Navigation"), best: t("Best"), other: t("Other"),
  car: t("Car|mode"), fitness: t("Fitness"), air: t("Air"), all: t("All|records"), latest: t("Latest"), owntracks: "OwnTracks",
  walk: t("On foot"), run: t("Running"), bicycle: t("Bicycle"), taxi: t("Taxi"), bus: t("Bus"), tram: t("Tram"), train: t("Train"),
  metro: t("Metro"), gondola: t("Gondola"), monorail: t("Monorail"), sleigh: t("Sleigh"), plane: t("Plane"), boat: t("Boat"), scooter: t("Scooter"),
};

/**
 * The text of a setting's value: "10m" is 10 min in a field of times, and 10 m in a field of distances.
 * @param {string | number | boolean} value
 * @param {{ values: (string | number | boolean)[] }} [field]
 * @returns {string}
 */
export function valueText(value, field) {
  if (typeof value === "boolean") return value ? t("On") : t("Off");
  if (typeof value === "number") return plural(value, "{n} record", "{n} records", { n: number(value) });
  const measure = /^(\d+)(s|m|h|km)$/.exec(value);
  if (!measure) return WORDS[value] ?? value;
  const isTime = field?.values.some((each) => /^\d+[sh]$/.test(String(each)));
  // A number and its unit stay on one line.
  return `${number(Number(measure[1]))}\u00a0${measure[2] === "m" && isTime ? "min" : measure[2]}`;
}

export const fieldsByName = new Map(sections.flatMap(({ fields }) => fields).map((field) => [field.name, field]));

// The title of a setting. Settings of trips have the section as well, because both sections use the same titles. A setting that is not in
// the table is shown by its name.
export function titleOf(name) {
  const field = fieldsByName.get(name);
  if (!field) return name;
  return name.startsWith("trip.") ? t("{title} (on a trip)", { title: field.title }) : field.title;
}

// The title and the value of any setting: "Min distance: 50 m".
export function settingText(name, value) {
  const field = fieldsByName.get(name);
  return `${titleOf(name)}: ${field ? valueText(value, field) : String(value)}`;
}
