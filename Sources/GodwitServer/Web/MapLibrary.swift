internal import Foundation
internal import GodwitAPI
internal import GodwitHTTP
internal import Synchronization

/// MapLibre GL JS, which draws the maps of the pages. `scripts/maplibre` installs its files.
package final class MapLibrary: Sendable {
  /// The version that the pages are written for. It is part of the paths, so that browsers can cache the files.
  package static let version = "5.3.0"

  /// The name of the check in `godwit doctor`.
  package static let subject = "MapLibre GL JS, for the maps"
  /// The remedy for a machine without the library.
  package static let advice =
    "put version \(version) into /usr/local/share/godwit/maplibre (scripts/maplibre FOLDER), or name its folder with --maplibre"

  /// The files of the library that pages load.
  private static let names = ["maplibre-gl.js", "maplibre-gl.css"]

  /// The folder with the library; `nil` if there is none.
  package let folder: String?
  private let files = Mutex<[String: PageFile]>([:])

  /// - Parameter folder: a folder that is searched before the usual ones.
  package init(folder: String? = nil) {
    let executable = Bundle.main.executableURL?.resolvingSymlinksInPath().path ?? ""
    self.folder = ([folder].compactMap(\.self) + Self.folders(executable: executable)).first { Self.isLibrary($0) }
  }

  /// The searched folders: beside the executable and in its parent folders, where a build has the library, and the folders of packages.
  static func folders(executable: String) -> [String] {
    var folders: [String] = []
    var parent = executable[...]
    // .build/x86_64-unknown-linux-gnu/debug/godwit is three folders below .build.
    for _ in 0..<4 {
      guard let slash = parent.lastIndex(of: "/") else { break }
      parent = parent[..<slash]
      folders.append("\(parent)/maplibre-\(version)")
    }
    return folders + ["/usr/share", "/usr/local/share", "/opt/homebrew/share"].map { "\($0)/godwit/maplibre" }
  }

  /// Whether a folder has the library in ``version``. Browsers would cache another version under the wrong path.
  private static func isLibrary(_ folder: String) -> Bool {
    guard FileManager.default.isReadableFile(atPath: folder + "/maplibre-gl.css"),
      let script = FileHandle(forReadingAtPath: folder + "/maplibre-gl.js")
    else { return false }
    defer { try? script.close() }
    // The licence comment in the first lines contains the version.
    let head = (try? script.read(upToCount: 400)) ?? Data()
    return String(decoding: head, as: UTF8.self).contains("/v\(version)/")
  }

  /// Returns a file by the path in its URL, such as `/maplibre/5.3.0/maplibre-gl.js`; `nil` if it does not exist.
  func file(at path: String) -> PageFile? {
    let prefix = "/maplibre/\(Self.version)/"
    guard let folder, path.hasPrefix(prefix) else { return nil }
    let name = String(path.dropFirst(prefix.count))
    guard Self.names.contains(name) else { return nil }
    return files.withLock { files in
      if let known = files[name] { return known }
      guard let data = FileManager.default.contents(atPath: folder + "/" + name) else { return nil }
      let file = PageFile(unchanging: Array(data), contentType: MediaType.of(name))
      files[name] = file
      return file
    }
  }
}
