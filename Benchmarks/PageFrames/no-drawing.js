// Runs before a page's own scripts: the map sends its commands to the graphics process, but nothing is drawn, so that drawing does not
// take processor time from the page. All scripts run as with a graphics card. Without a card, clearing the map and compositing it under
// the page in each frame use a processor core, and a thread that waits for a core counts as busy while the browser slows down the
// processor.

for (const prototype of [WebGLRenderingContext.prototype, WebGL2RenderingContext.prototype]) {
  const { clear, drawArrays, drawElements } = prototype;
  prototype.clear = function () { clear.call(this, 0); };
  prototype.drawArrays = function (mode, first) { drawArrays.call(this, mode, first, 0); };
  prototype.drawElements = function (mode, count, type, offset) { drawElements.call(this, mode, 0, type, offset); };
}
// A hidden canvas would not receive events of the pointer.
addEventListener("DOMContentLoaded", () => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(".maplibregl-canvas { opacity: 0 }");
  document.adoptedStyleSheets.push(sheet);
});
