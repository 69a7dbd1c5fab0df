internal import Foundation
internal import GodwitHTTP
internal import GodwitResources

/// The files of the page: Godwit's from the executable, Leaflet's from the system.
package struct Assets: Sendable {
  /// Folder with Leaflet's files; `nil` if there is none.
  let leaflet: String?

  /// Folders of Leaflet in Debian and other systems.
  package static let leafletFolders = [
    "/usr/share/javascript/leaflet", "/usr/share/nodejs/leaflet/dist", "/usr/local/share/leaflet",
    "/opt/homebrew/share/leaflet", "/usr/local/lib/node_modules/leaflet/dist",
    "/opt/homebrew/lib/node_modules/leaflet/dist",
  ]

  init(leafletFolder: String?) {
    leaflet = ([leafletFolder].compactMap(\.self) + Self.leafletFolders).first {
      FileManager.default.fileExists(atPath: $0 + "/leaflet.js")
    }
  }

  /// A file by the path in its URL, with its content type; `nil` if it does not exist.
  func file(at path: String) -> (contentType: String, bytes: [UInt8])? {
    if let bytes = Pages.files[path] { return (MediaType.of(path), bytes) }
    // The walk of `godwit demo`.
    if path == "/demo.gpx" { return (MediaType.of(path), Resources.tracker["GodwitCLI/Demo/korita-zbevnica.gpx"]) }
    guard let leaflet, path.hasPrefix("/leaflet/") else { return nil }
    let name = String(path.dropFirst("/leaflet/".count))
    guard Self.isLeafletFile(name), let data = FileManager.default.contents(atPath: leaflet + "/" + name) else {
      return nil
    }
    return (MediaType.of(name), Array(data))
  }

  /// Only plain names in the folder and its folder of images, so that no path leaves it.
  private static func isLeafletFile(_ name: String) -> Bool {
    if ["leaflet.js", "leaflet.min.js", "leaflet.css"].contains(name) { return true }
    guard name.hasPrefix("images/"), name.hasSuffix(".png") else { return false }
    return name.dropFirst("images/".count).dropLast(4).allSatisfy {
      $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-")
    }
  }
}
