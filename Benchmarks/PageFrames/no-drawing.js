// Runs before a page's own scripts: the map reaches the graphics process and draws nothing there, so that it does not take the processor from
// the page. All scripts run as they do where a graphics card draws. Without a card, clearing the map and laying it under the page in each frame
// take a processor core, and a thread that waits for a core counts as busy where the browser slows the processor down.

for (const prototype of [WebGLRenderingContext.prototype, WebGL2RenderingContext.prototype]) {
  const { clear, drawArrays, drawElements } = prototype;
  prototype.clear = function () { clear.call(this, 0); };
  prototype.drawArrays = function (mode, first) { drawArrays.call(this, mode, first, 0); };
  prototype.drawElements = function (mode, count, type, offset) { drawElements.call(this, mode, 0, type, offset); };
}
// A hidden canvas would not get the pointer.
addEventListener("DOMContentLoaded", () => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(".maplibregl-canvas { opacity: 0 }");
  document.adoptedStyleSheets.push(sheet);
});
