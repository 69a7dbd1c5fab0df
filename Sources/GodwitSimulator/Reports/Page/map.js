// Map of the tracks, projected to a plane around the centre of the day's path. North is up.

const metersPerDegree = 111195;

// Decodes points from differences. The true track has three numbers per point, a recorded track five.
function unpacked(numbers, width) {
  const points = [];
  let [time, latitude, longitude] = [0, 0, 0];
  for (let i = 0; i < numbers.length; i += width) {
    time += numbers[i];
    latitude += numbers[i + 1];
    longitude += numbers[i + 2];
    points.push({ time, latitude: latitude / 1e6, longitude: longitude / 1e6, error: width > 3 ? numbers[i + 3] : 0, accuracy: width > 3 ? numbers[i + 4] : -1 });
  }
  return points;
}

class TrackMap {
  constructor(box, describe) {
    this.box = box;
    this.describe = describe;
    this.canvas = box.querySelector("canvas");
    this.tip = box.querySelector(".tip");
    this.tracks = [];
    this.stays = [];
    this.marks = [];
    this.pointers = new Map();
    this.listen();
    new ResizeObserver(() => {
      if (!this.isMoved) this.fit();
      this.draw();
    }).observe(box);
  }

  // truth: points; tracks: [{policy, points}]; stays: [{latitude, longitude, policy or null}]
  show(truth, tracks, stays, radius, isNew) {
    if (isNew) {
      const all = truth.length ? truth : tracks.flatMap((track) => track.points);
      const first = all[0] ?? { latitude: 0, longitude: 0 };
      let [south, north, west, east] = [90, -90, 540, -540];
      for (const point of all) {
        const longitude = first.longitude + this.turn(point.longitude - first.longitude);
        [south, north] = [Math.min(south, point.latitude), Math.max(north, point.latitude)];
        [west, east] = [Math.min(west, longitude), Math.max(east, longitude)];
      }
      if (!all.length) [south, north, west, east] = [0, 0, 0, 0];
      this.origin = { latitude: (south + north) / 2, longitude: (west + east) / 2 };
      this.east = metersPerDegree * Math.max(1e-6, Math.cos((this.origin.latitude * Math.PI) / 180));
      this.extent = { width: Math.max(400, (east - west) * this.east), height: Math.max(400, (north - south) * metersPerDegree) };
      this.isMoved = false;
    }
    const placed = (point) => ({ ...point, x: this.turn(point.longitude - this.origin.longitude) * this.east, y: (point.latitude - this.origin.latitude) * metersPerDegree });
    this.truth = truth.map(placed);
    this.tracks = tracks.map((track) => ({ ...track, points: track.points.map(placed) }));
    this.stays = stays.map(placed);
    this.radius = radius;
    if (isNew) this.fit();
    this.draw();
  }

  turn(degrees) {
    return degrees > 180 ? degrees - 360 : degrees < -180 ? degrees + 360 : degrees;
  }

  fit() {
    if (!this.extent) return;
    const { clientWidth: width, clientHeight: height } = this.box;
    const room = width > 600 ? 70 : 44;
    this.scale = Math.min((width - 2 * room) / this.extent.width, (height - 2 * room) / this.extent.height);
    [this.x, this.y] = [0, 0];
    this.isMoved = false;
  }

  screen(point) {
    return [this.box.clientWidth / 2 + (point.x - this.x) * this.scale, this.box.clientHeight / 2 - (point.y - this.y) * this.scale];
  }

  zoom(factor, at) {
    const { clientWidth: width, clientHeight: height } = this.box;
    const [px, py] = at ?? [width / 2, height / 2];
    const scale = Math.max(1e-6, Math.min(20, this.scale * factor));
    const change = 1 / this.scale - 1 / scale;
    this.x += (px - width / 2) * change;
    this.y -= (py - height / 2) * change;
    this.scale = scale;
    this.isMoved = true;
    this.draw();
  }

  pan(dx, dy) {
    this.x -= dx / this.scale;
    this.y += dy / this.scale;
    this.isMoved = true;
    this.draw();
  }

  listen() {
    const { box } = this;
    const place = (event) => {
      const frame = box.getBoundingClientRect();
      return [event.clientX - frame.left, event.clientY - frame.top];
    };
    box.addEventListener("wheel", (event) => {
      // Without focus, the wheel scrolls the page. The map zooms only with focus or on a pinch gesture.
      if (!event.ctrlKey && document.activeElement !== box) return;
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)), place(event));
    }, { passive: false });
    box.addEventListener("pointerdown", (event) => {
      if (event.target.closest("button")) return;
      box.setPointerCapture(event.pointerId);
      this.pointers.set(event.pointerId, place(event));
    });
    box.addEventListener("pointermove", (event) => {
      const now = place(event);
      const before = this.pointers.get(event.pointerId);
      if (!before) return this.hover(now);
      this.hide();
      if (this.pointers.size === 1) this.pan(now[0] - before[0], now[1] - before[1]);
      else if (this.pointers.size === 2) {
        const other = [...this.pointers].find(([id]) => id !== event.pointerId)[1];
        const length = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]);
        this.pan((now[0] - before[0]) / 2, (now[1] - before[1]) / 2);
        this.zoom(length(now, other) / Math.max(1, length(before, other)), [(now[0] + other[0]) / 2, (now[1] + other[1]) / 2]);
      }
      this.pointers.set(event.pointerId, now);
    });
    for (const type of ["pointerup", "pointercancel"]) {
      box.addEventListener(type, (event) => {
        this.pointers.delete(event.pointerId);
        if (event.pointerType === "touch") this.hover(place(event), 24);
      });
    }
    box.addEventListener("pointerleave", () => this.hide());
    box.addEventListener("dblclick", (event) => { if (!event.target.closest("button")) this.zoom(2, place(event)); });
    box.addEventListener("keydown", (event) => {
      if (event.target !== box || event.ctrlKey || event.metaKey || event.altKey) return;
      const step = 60;
      const actions = {
        ArrowLeft: () => this.pan(step, 0), ArrowRight: () => this.pan(-step, 0), ArrowUp: () => this.pan(0, step), ArrowDown: () => this.pan(0, -step),
        "+": () => this.zoom(1.4), "=": () => this.zoom(1.4), "-": () => this.zoom(1 / 1.4), "0": () => this.all(),
      };
      if (!actions[event.key]) return;
      event.preventDefault();
      actions[event.key]();
    });
    box.querySelector("[data-map=in]").addEventListener("click", () => this.zoom(1.6));
    box.querySelector("[data-map=out]").addEventListener("click", () => this.zoom(1 / 1.6));
    box.querySelector("[data-map=all]").addEventListener("click", () => this.all());
  }

  all() {
    this.fit();
    this.draw();
  }

  hide() {
    if (this.found) {
      this.found = null;
      this.tip.hidden = true;
      this.draw();
    }
  }

  // Finds the recorded position nearest to the pointer.
  hover([px, py], reach = 14) {
    let best = null;
    let least = reach * reach;
    for (const track of this.tracks) {
      for (const point of track.points) {
        const [x, y] = this.screen(point);
        const distance = (x - px) ** 2 + (y - py) ** 2;
        if (distance < least) [least, best] = [distance, { track, point }];
      }
    }
    if (!best) return this.hide();
    if (this.found?.point === best.point) return;
    this.found = best;
    this.tip.innerHTML = this.describe(best.track.policy, best.point);
    this.tip.hidden = false;
    const [x, y] = this.screen(best.point);
    const { clientWidth: width, clientHeight: height } = this.box;
    const left = x + 16 + this.tip.offsetWidth > width - 8 ? x - 16 - this.tip.offsetWidth : x + 16;
    const top = Math.max(8, Math.min(height - this.tip.offsetHeight - 8, y - this.tip.offsetHeight / 2));
    this.tip.style.transform = `translate(${Math.max(8, left)}px, ${top}px)`;
    this.draw();
  }

  draw() {
    if (this.isAsked || !this.extent) return;
    this.isAsked = true;
    requestAnimationFrame(() => {
      this.isAsked = false;
      this.paint();
    });
  }

  paint() {
    const { clientWidth: width, clientHeight: height } = this.box;
    if (!width || !height) return;
    const ratio = window.devicePixelRatio || 1;
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
    }
    const context = this.canvas.getContext("2d");
    const style = getComputedStyle(document.documentElement);
    const value = (name) => style.getPropertyValue(name).trim();
    const tint = (policy) => value(colorName(policy));
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.lineJoin = "round";
    context.lineCap = "round";
    this.lines(context, width, height, value);

    for (const stay of this.stays.filter((stay) => stay.policy == null)) {
      const [x, y] = this.screen(stay);
      const radius = Math.max(7, this.radius * this.scale);
      context.beginPath();
      context.arc(x, y, radius, 0, 2 * Math.PI);
      context.globalAlpha = 0.2;
      context.fillStyle = value("--truth");
      context.fill();
      context.globalAlpha = 1;
      context.setLineDash([4, 4]);
      context.strokeStyle = value("--truth");
      context.lineWidth = 1.5;
      context.stroke();
      context.setLineDash([]);
    }
    this.path(context, this.truth, value("--truth"), 7, 0.55);
    for (const track of this.tracks) {
      this.path(context, track.points, value("--solid"), 4.5, 0.7);
      this.path(context, track.points, tint(track.policy), 2.4, 1);
    }
    // Single positions, where there is space.
    for (const track of this.tracks) {
      context.fillStyle = tint(track.policy);
      const places = track.points.map((point) => this.screen(point));
      const isApart = (a, b) => !a || !b || Math.hypot(a[0] - b[0], a[1] - b[1]) > 13;
      places.forEach(([x, y], index) => {
        if (x < -5 || y < -5 || x > width + 5 || y > height + 5) return;
        if (!isApart(places[index - 1], places[index]) || !isApart(places[index], places[index + 1])) return;
        context.beginPath();
        context.arc(x, y, 3, 0, 2 * Math.PI);
        context.fill();
      });
    }
    this.stays.filter((stay) => stay.policy != null).forEach((stay) => {
      const [x, y] = this.screen(stay);
      context.beginPath();
      context.arc(x, y, Math.max(6, Math.min(22, this.radius * this.scale * 0.4)) + stay.order * 3.5, 0, 2 * Math.PI);
      context.strokeStyle = tint(stay.policy);
      context.lineWidth = 1.6;
      context.stroke();
    });
    for (const mark of this.marks) this.mark(context, mark, tint, value);
    if (this.found) {
      const [x, y] = this.screen(this.found.point);
      if (this.found.point.accuracy > 0) {
        context.beginPath();
        context.arc(x, y, this.found.point.accuracy * this.scale, 0, 2 * Math.PI);
        context.globalAlpha = 0.14;
        context.fillStyle = tint(this.found.track.policy);
        context.fill();
        context.globalAlpha = 1;
      }
      this.mark(context, { policy: this.found.track.policy, point: this.found.point }, tint, value);
    }
    this.bar(context, width, height, value);
  }

  mark(context, { policy, point }, tint, value) {
    const [x, y] = this.screen({ x: this.turn(point.longitude - this.origin.longitude) * this.east, y: (point.latitude - this.origin.latitude) * metersPerDegree });
    context.beginPath();
    context.arc(x, y, policy == null ? 9 : 6.5, 0, 2 * Math.PI);
    context.fillStyle = policy == null ? value("--truth") : tint(policy);
    context.fill();
    context.strokeStyle = value("--solid");
    context.lineWidth = 2.5;
    context.stroke();
  }

  path(context, points, stroke, width, alpha) {
    context.beginPath();
    points.forEach((point, index) => {
      const [x, y] = this.screen(point);
      if (index) context.lineTo(x, y);
      else context.moveTo(x, y);
    });
    context.globalAlpha = alpha;
    context.strokeStyle = stroke;
    context.lineWidth = width;
    context.stroke();
    context.globalAlpha = 1;
  }

  // Grid lines at a round number of metres.
  lines(context, width, height, value) {
    const step = round(110 / this.scale, true);
    context.strokeStyle = value("--grid");
    context.lineWidth = 1;
    context.beginPath();
    const [left, right] = [this.x - width / 2 / this.scale, this.x + width / 2 / this.scale];
    const [low, high] = [this.y - height / 2 / this.scale, this.y + height / 2 / this.scale];
    for (let x = Math.ceil(left / step) * step; x <= right; x += step) {
      const at = Math.round((x - left) * this.scale) + 0.5;
      context.moveTo(at, 0);
      context.lineTo(at, height);
    }
    for (let y = Math.ceil(low / step) * step; y <= high; y += step) {
      const at = Math.round((high - y) * this.scale) + 0.5;
      context.moveTo(0, at);
      context.lineTo(width, at);
    }
    context.stroke();
  }

  bar(context, width, height, value) {
    const meters = round(130 / this.scale, false);
    const length = meters * this.scale;
    const [x, y] = [16, height - 16];
    context.strokeStyle = value("--ink");
    context.lineWidth = 2;
    context.lineCap = "butt";
    context.beginPath();
    context.moveTo(x, y - 6);
    context.lineTo(x, y);
    context.lineTo(x + length, y);
    context.lineTo(x + length, y - 6);
    context.stroke();
    context.font = '12px system-ui, "DejaVu Sans", sans-serif';
    context.fillStyle = value("--ink");
    context.fillText(meters >= 1000 ? `${number(meters / 1000)} km` : `${number(meters)} m`, x + 5, y - 7);
  }
}
