// Icons of devices, as paths in a square of 24 units.

import { t } from "/texts.js";

/** @type {Record<string, string>} */
export const ICON_NAMES = {
  phone: t("Phone"), watch: t("Watch"), tablet: t("Tablet"), laptop: t("Laptop"), car: t("Car"), van: t("Van"), truck: t("Truck"),
  motorcycle: t("Motorcycle"), bicycle: t("Bicycle"), boat: t("Boat"), plane: t("Plane"), train: t("Train"), person: t("Person"),
  child: t("Child"), dog: t("Dog"), cat: t("Cat"), bag: t("Bag"), tag: t("Label"),
};

export const icons = {
  phone: "M8 3h8a1 1 0 0 1 1 1v16a1 1 0 0 1-1 1H8a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1zM11 18h2",
  watch: "M9 7l.6-4h4.800l.6 4M9 17l.6 4h4.800l.6-4M12 7a5 5 0 1 0 0 10 5 5 0 0 0 0-10zM12 9.500V12l1.500 1",
  tablet: "M6 3h12a1 1 0 0 1 1 1v16a1 1 0 0 1-1 1H6a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1zM11 18h2",
  laptop: "M6 5h12a1 1 0 0 1 1 1v9H5V6a1 1 0 0 1 1-1zM2.500 18.500h19",
  car: "M4 16v-3.500l2-5A2 2 0 0 1 7.900 6h8.200A2 2 0 0 1 18 7.500l2 5V16zM4.500 12h15M7.500 16a1.800 1.800 0 1 0 .01 0zM16.500 16a1.800 1.800 0 1 0 .01 0z",
  van: "M3 16V7a1 1 0 0 1 1-1h10l5 5 2 1v4zM14 6v6h6.500M7 16a1.800 1.800 0 1 0 .01 0zM17 16a1.800 1.800 0 1 0 .01 0z",
  truck: "M2.500 16V6h11v10zM13.500 9.500h4l3 3.500v3h-7M7 16a1.800 1.800 0 1 0 .01 0zM17 16a1.800 1.800 0 1 0 .01 0z",
  motorcycle: "M6 13.500a3 3 0 1 0 .01 0zM18 13.500a3 3 0 1 0 .01 0zM6 16.500l4-5h5l-2.500-4H15M10 11.500l3 5h1l2-5",
  bicycle: "M6 12.500a3.500 3.500 0 1 0 .01 0zM18 12.500a3.500 3.500 0 1 0 .01 0zM6 16l3-7h6l3 7M9 9l4 7M13 16l2.500-7M8 6.500h2.500M15 9l-.5-2.500h2",
  boat: "M4 15h16l-2.500 5h-11zM12 15V4l6 8h-6M11 7l-4 5h4",
  plane: "M12 3c.9 0 1.300 1 1.300 2v4.500L21 14v1.800l-7.700-2.300V18l2.200 1.600V21L12 20l-3.500 1v-1.400L10.700 18v-4.500L3 15.800V14l7.700-4.500V5c0-1 .4-2 1.300-2z",
  train: "M7 4h10a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2zM5 11h14M8.500 14h.01M15.500 14h.01M8 17l-2.500 4M16 17l2.500 4",
  person: "M12 4a3.500 3.500 0 1 0 .01 0zM5 20.500c.3-4 3-6.500 7-6.500s6.700 2.500 7 6.500z",
  child: "M12 5a3 3 0 1 0 .01 0zM12 11v5M8 13h8M12 16l-2.500 4M12 16l2.500 4",
  dog: "M4 9l3-4 3 2h4l3-2 3 4-2 3v4a4 4 0 0 1-4 4h-4a4 4 0 0 1-4-4v-4zM9.500 12h.01M14.500 12h.01M11 15.500h2",
  cat: "M5 5l4 3h6l4-3v9a7 6 0 0 1-14 0zM9.500 12h.01M14.500 12h.01M11 15.500h2M2.500 14h3M18.500 14h3",
  bag: "M5 8h14l1 12H4zM9 8V6.500a3 3 0 0 1 6 0V8",
  tag: "M4 4h7l9 9-7 7-9-9zM8 8h.01",
};
