/// The media types of files.
package enum MediaType {
  /// The `Content-Type` of a file, by its extension; HTML by default.
  package static func of(_ path: String) -> String {
    switch path.split(separator: ".").last {
    case "css": "text/css; charset=utf-8"
    case "js": "text/javascript; charset=utf-8"
    case "png": "image/png"
    case "webmanifest": "application/manifest+json"
    case "svg": "image/svg+xml"
    default: "text/html; charset=utf-8"
    }
  }
}
