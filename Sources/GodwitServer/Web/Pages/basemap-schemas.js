// The names that two schemas of vector tiles use for the parts of a map. Each part is a list of { layer, filter }: a layer of the tiles and
// a filter of its features. Classes of roads are those of basemap-streets.js.

const among = (value, ...names) => ["match", value, names, true, false];
const all = (...conditions) => ["all", ...conditions];
const isPolygon = among(["geometry-type"], "Polygon", "MultiPolygon");
const isLine = among(["geometry-type"], "LineString", "MultiLineString");
const number = (name, otherwise) => ["to-number", ["get", name], otherwise];

// Protomaps: https://docs.protomaps.com/basemaps/layers
function protomaps() {
  // Version 3 has "pmap:kind" instead of "kind" of version 4.
  const kind = ["coalesce", ["get", "kind"], ["get", "pmap:kind"], ""];
  const detail = ["coalesce", ["get", "kind_detail"], ["get", "pmap:kind_detail"], ["get", "highway"], ""];
  const roads = {
    motorway: among(kind, "highway"),
    major: all(among(kind, "major_road", "medium_road"), ["!", among(detail, "tertiary", "tertiary_link")]),
    secondary: all(among(kind, "major_road", "medium_road"), among(detail, "tertiary", "tertiary_link")),
    minor: all(among(kind, "minor_road"), ["!", among(detail, "service")]),
    service: all(among(kind, "minor_road"), among(detail, "service")),
    path: among(kind, "path", "other"),
    rail: among(kind, "rail"),
    ferry: among(kind, "ferry"),
  };
  return {
    land: [{ layer: "earth", filter: isPolygon }],
    water: [{ layer: "water", filter: isPolygon }],
    waterways: [{ layer: "water", filter: all(isLine, among(kind, "river", "stream", "canal")) }],
    park: [{ layer: "landuse", filter: among(kind, "park", "nature_reserve", "national_park", "golf_course", "cemetery", "pitch", "grass", "meadow", "garden", "recreation_ground", "village_green", "zoo") }, { layer: "landcover", filter: among(kind, "grassland") }],
    wood: [{ layer: "landuse", filter: among(kind, "wood", "forest", "scrub") }, { layer: "landcover", filter: among(kind, "forest", "scrub") }],
    farm: [{ layer: "landuse", filter: among(kind, "farmland", "orchard", "allotments") }, { layer: "landcover", filter: among(kind, "farmland") }],
    sand: [{ layer: "landuse", filter: among(kind, "beach", "sand") }, { layer: "landcover", filter: among(kind, "barren") }],
    ice: [{ layer: "landuse", filter: among(kind, "glacier") }, { layer: "landcover", filter: among(kind, "glacier") }],
    built: [{ layer: "landuse", filter: among(kind, "residential", "industrial", "commercial", "school", "university", "college", "hospital", "retail") }, { layer: "landcover", filter: among(kind, "urban_area") }],
    runway: [{ layer: "landuse", filter: among(kind, "runway", "taxiway", "aerodrome") }],
    building: [{ layer: "buildings", filter: isPolygon }],
    roads: Object.fromEntries(Object.entries(roads).map(([name, filter]) => [name, { layer: "roads", filter: all(isLine, filter) }])),
    roadNames: { layer: "roads", filter: all(isLine, ["has", "name"], among(kind, "highway", "major_road", "medium_road", "minor_road")) },
    border: [{ layer: "boundaries", filter: ["any", among(kind, "country"), ["<=", number("pmap:min_admin_level", 99), 2]] }],
    state: [{ layer: "boundaries", filter: ["any", among(kind, "region"), all(["!", ["has", "kind"]], ["==", number("pmap:min_admin_level", 99), 4])] }],
    places: {
      city: { layer: "places", filter: all(among(kind, "locality"), among(detail, "city", "town")), rank: ["-", 20, number("population_rank", 0)] },
      village: { layer: "places", filter: all(among(kind, "locality"), ["!", among(detail, "city", "town")]), rank: ["-", 20, number("population_rank", 0)] },
      suburb: { layer: "places", filter: among(kind, "neighbourhood", "macrohood"), rank: 0 },
    },
    waterNames: [{ layer: "water", filter: all(among(["geometry-type"], "Point"), ["has", "name"]) }],
  };
}

// OpenMapTiles: https://openmaptiles.org/schema/
function openmaptiles() {
  const kind = ["coalesce", ["get", "class"], ""];
  const admin = number("admin_level", 99);
  const isOnLand = ["!=", number("maritime", 0), 1];
  const roads = {
    motorway: among(kind, "motorway"),
    major: among(kind, "trunk", "primary"),
    secondary: among(kind, "secondary", "tertiary"),
    minor: among(kind, "minor", "busway"),
    service: among(kind, "service", "raceway"),
    path: among(kind, "path", "track"),
    rail: among(kind, "rail", "transit"),
    ferry: among(kind, "ferry"),
  };
  const place = (...classes) => ({ layer: "place", filter: among(kind, ...classes), rank: number("rank", 30) });
  return {
    land: [],
    water: [{ layer: "water", filter: ["!=", ["get", "brunnel"], "tunnel"] }],
    waterways: [{ layer: "waterway", filter: isLine }],
    park: [{ layer: "park", filter: isPolygon }, { layer: "landcover", filter: among(kind, "grass") }, { layer: "landuse", filter: among(kind, "cemetery", "pitch", "zoo", "theme_park", "playground") }],
    wood: [{ layer: "landcover", filter: among(kind, "wood") }],
    farm: [{ layer: "landcover", filter: among(kind, "farmland") }],
    sand: [{ layer: "landcover", filter: among(kind, "sand", "rock") }],
    ice: [{ layer: "landcover", filter: among(kind, "ice") }],
    built: [{ layer: "landuse", filter: among(kind, "residential", "suburb", "neighbourhood", "industrial", "commercial", "retail", "school", "university", "hospital") }],
    runway: [{ layer: "aeroway", filter: isPolygon }],
    building: [{ layer: "building", filter: isPolygon }],
    roads: Object.fromEntries(Object.entries(roads).map(([name, filter]) => [name, { layer: "transportation", filter: all(isLine, filter) }])),
    roadNames: { layer: "transportation_name", filter: among(kind, "motorway", "trunk", "primary", "secondary", "tertiary", "minor", "service") },
    border: [{ layer: "boundary", filter: all(["<=", admin, 2], isOnLand) }],
    state: [{ layer: "boundary", filter: all([">", admin, 2], ["<=", admin, 4], isOnLand) }],
    places: { city: place("city", "town"), village: place("village", "hamlet", "isolated_dwelling"), suburb: place("suburb", "quarter", "neighbourhood") },
    waterNames: [{ layer: "water_name", filter: ["has", "name"] }],
  };
}

// Returns the parts of a schema by its name; null for an unknown schema.
export const schemaOf = (name) => ({ protomaps, openmaptiles })[name]?.() ?? null;
