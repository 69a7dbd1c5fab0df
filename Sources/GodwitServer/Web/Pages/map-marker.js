// An HTML element at a place of the map. Without a map it is not shown, and all methods may be called nevertheless.

import { wrapped } from "/map-shapes.js";

export class MapMarker {
  #view;
  #element;
  #options;
  #place;
  #marker = null;
  #isShown = true;
  #handlers = {};

  constructor(view, element, place, options) {
    this.#view = view;
    this.#element = element;
    this.#place = place;
    this.#options = options;
  }

  get element() { return this.#element; }
  get place() { return this.#place; }

  // Moves the marker.
  set place(place) {
    this.#place = place;
    this.#marker?.setLngLat([place.lon, place.lat]);
  }

  // Moves the marker to a position of a device, and runs its animations again if the position is new.
  report(position) {
    const isNew = position !== this.#place;
    this.place = position;
    if (isNew) for (const animation of this.#element.getAnimations({ subtree: true })) animation.play();
  }

  // Moves the element relative to the place, in pixels.
  set offset(offset) {
    this.#options = { ...this.#options, offset };
    this.#marker?.setOffset(offset);
  }

  // Events: "dragstart", "drag" and "dragend", also for moves with arrow keys.
  on(name, handler) {
    this.#handlers[name] = handler;
    return this;
  }

  show(isShown = true) {
    this.#isShown = isShown;
    if (!isShown) this.#marker?.remove();
    else if (this.#view.map) this.attach();
    return this;
  }

  remove() {
    this.show(false);
    this.#view.forget(this);
  }

  // Adds the marker to the map. The view calls this when the map is ready.
  attach() {
    if (!this.#isShown) return;
    this.#marker ??= this.#made();
    const name = this.#element.getAttribute("aria-label");
    this.#marker.setLngLat([this.#place.lon, this.#place.lat]).addTo(this.#view.map);
    // MapLibre gives all markers the same label, so the element's own label is restored.
    if (name === null) this.#element.removeAttribute("aria-label");
    else this.#element.setAttribute("aria-label", name);
  }

  #made() {
    const { draggable = false, anchor = "center", offset = [0, 0] } = this.#options;
    const marker = new this.#view.library.Marker({ element: this.#element, draggable, anchor, offset });
    // A marker without a label is decorative.
    if (!this.#element.hasAttribute("aria-label")) this.#element.setAttribute("aria-hidden", "true");
    if (!draggable) return marker;
    for (const name of ["dragstart", "drag", "dragend"]) {
      marker.on(name, () => {
        const { lng, lat } = marker.getLngLat();
        this.#place = { lat: Math.max(-85, Math.min(85, lat)), lon: lng };
        this.#handlers[name]?.();
      });
    }
    this.#element.addEventListener("keydown", (event) => this.#pressed(event));
    return marker;
  }

  // Arrow keys move a draggable marker by a pixel, with Shift by ten.
  #pressed(event) {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    const pixels = event.shiftKey ? 10 : 1;
    const { x, y } = this.#view.project(this.#place);
    this.#handlers.dragstart?.();
    this.place = this.#view.unproject({ x: x + step[0] * pixels, y: y + step[1] * pixels });
    this.#handlers.drag?.();
    this.#handlers.dragend?.();
  }
}

// Returns a place in the form of the API.
export const stored = ({ lat, lon }) => {
  const digits = (value) => Math.round(value * 1e7) / 1e7;
  return { latitude: digits(Math.max(-90, Math.min(90, lat))), longitude: digits(wrapped(lon)) };
};
