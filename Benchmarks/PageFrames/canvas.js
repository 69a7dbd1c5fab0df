// Replaces the page with a canvas that draws the lines of the device's history in a view of all of them, as the page shows them. While the
// canvas is moved, it draws all lines again in each frame. Returns the number of lines.

(async () => {
  const TILE = 256;
  const device = document.getElementById("device").value;
  const { width, height } = document.getElementById("map").getBoundingClientRect();

  const linesIn = async (box, zoom) => {
    const query = new URLSearchParams({ device, bbox: box.join(","), zoom });
    const { features } = await (await fetch(`/api/v1/overview?${query}`)).json();
    return features.flatMap(({ geometry }) => geometry.coordinates);
  };
  const mercator = ([lon, lat]) => {
    const sine = Math.sin((lat * Math.PI) / 180);
    return [(lon + 180) / 360, 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)];
  };
  const box = (places) => [Math.min, Math.max].flatMap((limit) => [0, 1].map((index) => limit(...places.map((place) => place[index]))));

  const world = (await linesIn([-180, -85, 180, 85], 3)).flat();
  const [west, north, east, south] = box(world.map(mercator));
  const zoom = Math.floor(Math.log2(Math.min(width / (east - west), height / (south - north)) / TILE));
  const scale = TILE * 2 ** zoom;
  const lines = (await linesIn(box(world), zoom)).map((line) => line.map(mercator).map(([x, y]) => [(x - west) * scale, (y - north) * scale]));

  const canvas = Object.assign(document.createElement("canvas"), { width: width * devicePixelRatio, height: height * devicePixelRatio });
  Object.assign(canvas.style, { position: "fixed", left: 0, top: 0, width: `${width}px`, height: `${height}px` });
  document.body.replaceChildren(canvas);
  const context = canvas.getContext("2d");
  let [left, top, isDrawing] = [0, 0, false];
  const draw = () => {
    isDrawing = false;
    context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, left * devicePixelRatio, top * devicePixelRatio);
    context.clearRect(-left, -top, width, height);
    Object.assign(context, { strokeStyle: "#0b6e6e", globalAlpha: 0.85, lineWidth: 1.8, lineCap: "round", lineJoin: "round" });
    for (const line of lines) {
      context.beginPath();
      for (const [x, y] of line) context.lineTo(x, y);
      context.stroke();
    }
  };
  addEventListener("mousemove", ({ movementX, movementY }) => {
    left += movementX;
    top += movementY;
    if (!isDrawing) requestAnimationFrame(draw);
    isDrawing = true;
  });
  draw();
  return lines.length;
})();
