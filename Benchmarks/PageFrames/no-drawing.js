// Runs before a page's own scripts: calls of WebGL that draw reach the graphics process and draw nothing, so that it does not take the
// processor from the page. All scripts run as they do where a graphics card draws.

for (const prototype of [WebGLRenderingContext.prototype, WebGL2RenderingContext.prototype]) {
  const { drawArrays, drawElements } = prototype;
  prototype.drawArrays = function (mode, first) { drawArrays.call(this, mode, first, 0); };
  prototype.drawElements = function (mode, count, type, offset) { drawElements.call(this, mode, 0, type, offset); };
}
