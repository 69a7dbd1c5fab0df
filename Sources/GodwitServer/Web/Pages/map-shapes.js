// Geometry of maps. Places are { lat, lon } in degrees, coordinates are [lon, lat] as in GeoJSON.

export const EARTH_CIRCUMFERENCE = 40075016.686; // metres round the equator
const EARTH_RADIUS = 6371008.8; // metres, mean
const VERTICES = 64; // of a circle
// The latitude limit of the square Mercator map.
const LIMIT = 85.0511;

const RADIANS = Math.PI / 180;

// Mercator projection: the world from 0 to 1, from north-west to south-east.
export function mercator({ lat, lon }) {
  const sine = Math.min(0.9999, Math.max(-0.9999, Math.sin(lat * RADIANS)));
  return { x: lon / 360 + 0.5, y: 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI) };
}

export const geographic = ({ x, y }) => ({ lat: Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) / RADIANS, lon: (x - 0.5) * 360 });

// Returns a longitude in −180 ..< 180.
export const wrapped = (lon) => lon - 360 * Math.floor((lon + 180) / 360);

// The great-circle distance of two places in metres.
export function distance(a, b) {
  const dy = ((b.lat - a.lat) * RADIANS) / 2;
  const dx = ((b.lon - a.lon) * RADIANS) / 2;
  const h = Math.sin(dy) ** 2 + Math.cos(a.lat * RADIANS) * Math.cos(b.lat * RADIANS) * Math.sin(dx) ** 2;
  return 2 * EARTH_RADIUS * Math.asin(Math.min(1, Math.sqrt(h)));
}

// The coordinates of a line. Across the antimeridian the line takes the shorter way, with longitudes beyond ±180 degrees.
export function coordinates(places) {
  let before = null;
  return places.map(({ lat, lon }) => {
    if (before !== null) lon += 360 * Math.round((before - lon) / 360);
    before = lon;
    return [lon, lat];
  });
}

// The place in a direction (degrees clockwise from north) at a distance in metres.
export function destination({ lat, lon }, direction, meters) {
  const angle = meters / EARTH_RADIUS;
  const [phi, theta] = [lat * RADIANS, direction * RADIANS];
  const sine = Math.sin(phi) * Math.cos(angle) + Math.cos(phi) * Math.sin(angle) * Math.cos(theta);
  const turn = Math.atan2(Math.sin(theta) * Math.sin(angle) * Math.cos(phi), Math.cos(angle) - Math.sin(phi) * sine);
  return { lat: Math.asin(Math.max(-1, Math.min(1, sine))) / RADIANS, lon: lon + turn / RADIANS };
}

// The ring of a circle. `meters`: its radius.
export function circleRing(center, meters) {
  const places = [];
  for (let index = 0; index <= VERTICES; index++) places.push(destination(center, (360 * index) / VERTICES, meters));
  const ring = coordinates(places);
  const turn = ring.at(-1)[0] - ring[0][0];
  if (Math.abs(turn) < 180) {
    ring[ring.length - 1] = ring[0];
    return ring;
  }
  // A circle around a pole covers every longitude.
  const pole = center.lat > 0 ? LIMIT : -LIMIT;
  return [...ring, [ring.at(-1)[0], pole], [ring[0][0], pole], ring[0]];
}

const feature = (type, coordinates, properties) => ({ type: "Feature", properties, geometry: { type, coordinates } });
export const pointFeature = ({ lat, lon }, properties = {}) => feature("Point", [lon, lat], properties);
export const lineFeature = (places, properties = {}) => feature("LineString", coordinates(places), properties);
export const circleFeature = (center, meters, properties = {}) => feature("Polygon", [circleRing(center, meters)], properties);
export const multiPolygonFeature = (polygons, properties = {}) => feature("MultiPolygon", polygons, properties);

// A box of longitudes and latitudes in degrees.
export class Bounds {
  constructor(west = Infinity, south = Infinity, east = -Infinity, north = -Infinity) {
    Object.assign(this, { west, south, east, north });
  }

  // The bounds of places in their order. Consecutive places are assumed to be on the same side of the antimeridian.
  static of(places) {
    const bounds = new Bounds();
    for (const [lon, lat] of coordinates(places)) bounds.extend(lon, lat);
    return bounds;
  }

  // The bounds around a place. `meters`: their width and height.
  static around(place, meters) {
    const [half, angle] = [meters / 2, 360 / EARTH_CIRCUMFERENCE];
    const [dy, dx] = [half * angle, (half * angle) / Math.max(0.01, Math.cos(place.lat * RADIANS))];
    return new Bounds(place.lon - dx, place.lat - dy, place.lon + dx, place.lat + dy);
  }

  get isEmpty() { return !(this.west <= this.east && this.south <= this.north); }
  get center() { return { lat: (this.south + this.north) / 2, lon: (this.west + this.east) / 2 }; }

  extend(lon, lat) {
    this.west = Math.min(this.west, lon);
    this.east = Math.max(this.east, lon);
    this.south = Math.min(this.south, lat);
    this.north = Math.max(this.north, lat);
    return this;
  }

  // Bounds that are larger by a share of the size on each side.
  padded(share) {
    const [dx, dy] = [(this.east - this.west) * share, (this.north - this.south) * share];
    return new Bounds(this.west - dx, Math.max(-90, this.south - dy), this.east + dx, Math.min(90, this.north + dy));
  }

  has({ lat, lon }) { return lat >= this.south && lat <= this.north && lon >= this.west && lon <= this.east; }
}
