internal import Foundation

/// Serves the files of a folder; a subfolder is served by its `index.html`. Hidden files, and files outside the folder to
/// which a symbolic link leads, are not served.
package struct StaticFolder: Sendable {
  private let root: String

  /// Maximum bytes of a file. Files of the documentation are smaller.
  private static let greatestSize = 32 << 20

  /// - Returns: `nil`: the folder does not exist.
  package init?(_ path: String) {
    let root = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: root, isDirectory: &isFolder), isFolder.boolValue else { return nil }
    self.root = root
  }

  /// The files for a router.
  package var files: Router.Files {
    Router.Files(
      exist: { has($0) },
      respond: { request in
        guard let path = file(at: request.path), let bytes = FileManager.default.contents(atPath: path) else {
          return Problem(404, "Not found", "There is no \(request.path).").response
        }
        return HTTPResponse(status: 200, contentType: Self.contentType(of: path), body: [UInt8](bytes))
          .with("X-Content-Type-Options", "nosniff").with("Cache-Control", "no-cache")
      })
  }

  /// Whether a percent-decoded path has a file.
  package func has(_ path: String) -> Bool { file(at: path) != nil }

  /// Returns the file system path of the file at a URL path, which is percent-decoded; `nil`: there is none.
  func file(at path: String) -> String? {
    let parts = path.split(separator: "/")
    guard !parts.contains(where: { $0.hasPrefix(".") || $0.contains("\0") }) else { return nil }
    var file = ([root] + parts.map(String.init)).joined(separator: "/")
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: file, isDirectory: &isFolder) else { return nil }
    if isFolder.boolValue { file += "/index.html" }
    file = URL(fileURLWithPath: file).resolvingSymlinksInPath().path
    let facts = try? FileManager.default.attributesOfItem(atPath: file)
    guard file.hasPrefix(root + "/"), facts?[.type] as? FileAttributeType == .typeRegular,
      let size = facts?[.size] as? NSNumber, size.intValue <= Self.greatestSize
    else { return nil }
    return file
  }

  private static func contentType(of path: String) -> String {
    switch path.split(separator: ".").last {
    case "json", "map": "application/json"
    case "woff2": "font/woff2"
    case "ico": "image/x-icon"
    case "jpg", "jpeg": "image/jpeg"
    case "xml": "application/xml"
    case "txt", "md": "text/plain; charset=utf-8"
    case "html", "css", "js", "png", "svg", "webmanifest": MediaType.of(path)
    default: "application/octet-stream"
    }
  }
}
