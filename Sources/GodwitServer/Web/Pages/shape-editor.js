// Shapes under the hand: a circle with its rim, an area with its corners, a beacon with its place.

import * as format from "/format.js";

const icon = (name, size) => L.divIcon({ className: `handle ${name}`, iconSize: [size, size] });
const degrees = (value) => Math.round(value * 1e7) / 1e7;
export const place = ({ lat, lng }) => {
  const wrapped = L.latLng(lat, lng).wrap();
  return { latitude: degrees(Math.max(-90, Math.min(90, wrapped.lat))), longitude: degrees(wrapped.lng) };
};
const latLng = ({ latitude, longitude }) => L.latLng(latitude, longitude);

// A nice number of metres: 1, 2 or 5 times a power of ten.
const nice = (meters) => {
  const power = 10 ** Math.floor(Math.log10(meters));
  return [5, 2, 1].map((digit) => digit * power).find((value) => value <= meters) ?? power;
};

export class ShapeEditor {
  #map;
  #color;
  #layers = L.layerGroup();
  #changed = () => {};
  #drawing = null;

  constructor(map, color) {
    this.#map = map;
    this.#color = color;
    this.#layers.addTo(map);
    map.on("click", (event) => this.#drawing && this.#drawing.click(event.latlng));
    map.on("mousemove", (event) => this.#drawing && this.#drawing.move(event.latlng));
    map.on("dblclick", () => this.#drawing && this.#drawing.finish());
    map.getContainer().ownerDocument.addEventListener("keydown", (event) => {
      if (!this.#drawing) return;
      if (event.key === "Enter") this.#drawing.finish();
      if (event.key === "Backspace" && event.target === document.body) this.#drawing.undo();
    });
  }

  get isDrawing() { return this.#drawing != null; }

  // Draws a new shape and gives it to done(region parts).
  draw(kind, done) {
    this.clear();
    document.body.classList.add("drawing");
    this.#map.doubleClickZoom.disable();
    const end = (shape) => {
      this.#stop();
      done(shape);
    };
    const ignore = () => {};
    if (kind === "circle") {
      const width = this.#map.getBounds();
      const height = this.#map.distance(width.getSouthWest(), width.getNorthWest());
      const radius = Math.min(20000, Math.max(50, nice(height / 8)));
      this.#drawing = { click: (at) => end({ center: place(at), radius }), move: ignore, finish: ignore, undo: ignore };
    } else if (kind === "beacon") {
      this.#drawing = { click: (at) => end({ center: place(at) }), move: ignore, finish: ignore, undo: ignore };
    } else {
      const corners = [];
      const line = L.polyline([], this.#style()).addTo(this.#layers);
      const show = (at) => line.setLatLngs(at ? [...corners, at] : corners);
      const finish = () => {
        // A double click has put its corner down twice.
        const ring = corners.filter((corner, index) => !index || !this.#isNear(corner, corners[index - 1]));
        if (ring.length >= 3) end({ polygons: [[ring.map((corner) => [place(corner).longitude, place(corner).latitude])]] });
      };
      this.#drawing = {
        click: (at) => {
          if (corners.length >= 3 && this.#isNear(at, corners[0])) return finish();
          if (corners.length && this.#isNear(at, corners[corners.length - 1])) return;
          corners.push(at);
          L.circleMarker(at, { ...this.#style(), radius: 4, fillOpacity: 1, interactive: false }).addTo(this.#layers);
          show();
        },
        move: show,
        finish,
        undo: () => { corners.pop(); show(); },
      };
    }
  }

  #isNear(a, b) { return this.#map.latLngToContainerPoint(a).distanceTo(this.#map.latLngToContainerPoint(b)) < 9; }

  #stop() {
    this.#drawing = null;
    document.body.classList.remove("drawing");
    setTimeout(() => this.#map.doubleClickZoom.enable(), 300);
    this.#layers.clearLayers();
  }

  clear() { this.#stop(); }

  #style() { return { color: this.#color("--chosen"), weight: 2.5, fillOpacity: 0.18 }; }

  // Puts handles on a region's shape; changed(parts) is told each time one was moved.
  edit(region, changed) {
    this.clear();
    this.#changed = changed;
    if (region.polygons) this.#editArea(region.polygons);
    else if (region.beacon) this.#editBeacon(region);
    else this.#editCircle(region);
  }

  #editBeacon(region) {
    if (!region.center) return;
    const marker = L.marker(latLng(region.center), { draggable: true, icon: icon("center", 18), title: "Move the beacon", alt: "Beacon" });
    marker.on("drag", () => this.#changed({ center: place(marker.getLatLng()) })).addTo(this.#layers);
  }

  #editCircle({ center, radius }) {
    const circle = L.circle(latLng(center), { ...this.#style(), radius, interactive: false }).addTo(this.#layers);
    // Straight east of the centre.
    const east = (at) => {
      const turn = 360 / (40075016.686 * Math.max(0.01, Math.cos((at.lat * Math.PI) / 180)));
      return L.latLng(at.lat, at.lng + circle.getRadius() * turn);
    };
    const middle = L.marker(circle.getLatLng(), { draggable: true, icon: icon("center", 16), title: "Move the circle", alt: "Centre" });
    const rim = L.marker(east(circle.getLatLng()), { draggable: true, icon: icon("rim", 16), title: "Change the radius", alt: "Rim" });
    rim.bindTooltip(format.distance(radius), { permanent: true, direction: "right", offset: [12, 0], className: "radius-label" });
    const tell = () => this.#changed({ center: place(circle.getLatLng()), radius: circle.getRadius() });
    middle.on("drag", () => {
      circle.setLatLng(middle.getLatLng());
      rim.setLatLng(east(middle.getLatLng()));
      tell();
    });
    rim.on("drag", () => {
      const meters = this.#map.distance(circle.getLatLng(), rim.getLatLng());
      circle.setRadius(Math.min(1e6, Math.max(1, meters < 100 ? Math.round(meters) : Math.round(meters / 5) * 5)));
      rim.setTooltipContent(format.distance(circle.getRadius()));
      tell();
    });
    rim.on("dragend", () => rim.setLatLng(east(circle.getLatLng())));
    for (const layer of [middle, rim]) layer.addTo(this.#layers);
  }

  #editArea(polygons) {
    let before = null;
    const rings = polygons.map((rings) => rings.map((ring) => {
      const corners = ring.map(([longitude, latitude]) => {
        if (before != null) longitude += 360 * Math.round((before - longitude) / 360);
        before = longitude;
        return L.latLng(latitude, longitude);
      });
      // The ring's end is its beginning; it is not written twice here.
      if (corners.length > 1 && corners[0].equals(corners[corners.length - 1])) corners.pop();
      return corners;
    }));
    const outline = L.polygon(rings, { ...this.#style(), interactive: false }).addTo(this.#layers);
    const handles = L.layerGroup().addTo(this.#layers);
    const tell = () => {
      outline.setLatLngs(rings);
      this.#changed({ polygons: rings.map((rings) => rings.map((ring) => ring.map((corner) => [place(corner).longitude, place(corner).latitude]))) });
    };
    const count = rings.flat(2).length;
    const show = () => {
      handles.clearLayers();
      // Too many corners for a handle each: those in view.
      const view = this.#map.getBounds().pad(0.2);
      let left = 400;
      for (const ring of rings.flat()) {
        ring.forEach((corner, index) => {
          if ((count > 400 && !view.contains(corner)) || left-- < 0) return;
          this.#corner(handles, ring, index, tell, show);
          this.#between(handles, ring, index, tell, show);
        });
      }
      this.#whole(handles, outline, rings, tell, show);
    };
    show();
    if (count > 400) {
      this.#map.on("moveend", show);
      handles.on("remove", () => this.#map.off("moveend", show));
    }
  }

  #corner(handles, ring, index, tell, show) {
    const marker = L.marker(ring[index], { draggable: true, icon: icon("corner", 14), alt: `Corner ${index + 1}` });
    const remove = () => {
      if (ring.length <= 3) return;
      ring.splice(index, 1);
      tell();
      show();
    };
    marker.on("drag", () => { ring[index] = marker.getLatLng(); tell(); });
    marker.on("dragend", show);
    marker.on("click", (event) => event.originalEvent.altKey && remove());
    marker.on("contextmenu", remove);
    marker.on("keydown", (event) => ["Delete", "Backspace"].includes(event.originalEvent.key) && remove());
    marker.addTo(handles);
  }

  #between(handles, ring, index, tell, show) {
    const next = ring[(index + 1) % ring.length];
    const middle = L.latLng((ring[index].lat + next.lat) / 2, (ring[index].lng + next.lng) / 2);
    const marker = L.marker(middle, { draggable: true, icon: icon("between", 10), keyboard: false, alt: "Add a corner" });
    marker.on("dragstart", () => ring.splice(index + 1, 0, marker.getLatLng()));
    marker.on("drag", () => { ring[index + 1] = marker.getLatLng(); tell(); });
    marker.on("dragend", show);
    marker.addTo(handles);
  }

  #whole(handles, outline, rings, tell, show) {
    const marker = L.marker(outline.getBounds().getCenter(), { draggable: true, icon: icon("center", 16), title: "Move the area", alt: "Area" });
    let before = marker.getLatLng();
    marker.on("dragstart", () => (before = marker.getLatLng()));
    marker.on("drag", () => {
      const at = marker.getLatLng();
      for (const ring of rings.flat()) {
        ring.forEach((corner, index) => (ring[index] = L.latLng(corner.lat + at.lat - before.lat, corner.lng + at.lng - before.lng)));
      }
      before = at;
      tell();
    });
    marker.on("dragend", show);
    marker.addTo(handles);
  }
}
