internal import CResources

/// Files of this package that are part of the executable.
package struct Resources: Sendable {
  /// The pages and the OpenAPI fragments of the server.
  package static let server = Resources(c_resources_server())
  /// The pages of a tracker's panel, and the track of the demo.
  package static let tracker = Resources(c_resources_tracker())
  /// The phones of the simulator, and the page of its reports.
  package static let simulator = Resources(c_resources_simulator())

  /// The bytes of each file, by its path below `Sources`.
  package let files: [String: [UInt8]]

  /// The files directly in a folder, by their names.
  /// - Parameter folder: a path below `Sources` without a slash at its end.
  package func files(in folder: String) -> [String: [UInt8]] {
    var found: [String: [UInt8]] = [:]
    for (path, bytes) in files where path.hasPrefix(folder + "/") {
      let name = path.dropFirst(folder.utf8.count + 1)
      if !name.contains("/") { found[String(name)] = bytes }
    }
    return found
  }

  /// The bytes of one file; empty where there is no such file.
  /// - Parameter path: its path below `Sources`.
  package subscript(path: String) -> [UInt8] { files[path] ?? [] }

  private init(_ archive: CResourceArchive) {
    self.init(UnsafeRawBufferPointer(start: archive.start, count: archive.size))
  }

  /// Reads an archive as `CResources.h` describes it. Entries after a damaged one are left out.
  init(_ archive: UnsafeRawBufferPointer) { files = EmbeddedFiles(archive).files.mapValues { Array($0) } }
}
