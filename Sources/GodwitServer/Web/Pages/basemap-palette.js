// The colours of the base map: muted, so that the data on top stands out.

const LIGHT = {
  land: "#f4f1ea", water: "#cadbe0", coast: "#a9c0c8", border: "#b3a78f", state: "#d5ccba",
  label: "#3f4e52", quiet: "#68777b", waterLabel: "#5d8492", halo: "#f7f5f0",
  park: "#dfe8d2", wood: "#d6e2c8", farm: "#f0ecdd", sand: "#efe6cc", ice: "#fbfcfc", built: "#ece7dc", building: "#e0d9cb", runway: "#e2dccf",
  motorway: "#f2c485", major: "#f6dca8", minor: "#ffffff", path: "#cdbfa6", casing: "#d8cfbd", rail: "#b9b2a5",
  track: "#0b6e6e",
};

const DARK = {
  land: "#1c2427", water: "#10181c", coast: "#31424a", border: "#5a6466", state: "#2f3a3e",
  label: "#b4c1c3", quiet: "#8b9a9d", waterLabel: "#5f8593", halo: "#161d20",
  park: "#1e2b25", wood: "#1c2a23", farm: "#1f2725", sand: "#2a2820", ice: "#2b3437", built: "#21292c", building: "#293236", runway: "#2b3337",
  motorway: "#6f5836", major: "#57503c", minor: "#3d4a4f", path: "#414c50", casing: "#12191b", rail: "#454e51",
  track: "#4cc9c0",
};

export const palette = (isDark) => (isDark ? DARK : LIGHT);
