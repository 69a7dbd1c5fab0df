internal import Foundation
internal import GodwitHistory
internal import GodwitRoads
internal import GodwitStore

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Finds the file of roads: the file of `--roads`, or the first `*.roads` in the data folder. The store records the file in use, and trips
/// are recomputed when its roads change.
///
/// The server maps a copy in its data folder. If the original file were mapped, overwriting it could corrupt a search or crash the process.
final class RoadFolder: Sendable {
  /// The value of `--roads` that disables roads.
  static let none = "none"
  /// The prefix of the names of copies; the checksum and the size follow.
  private static let copies = ".roads-"

  private let file: ConfiguredFile
  private let isOff: Bool
  private let database: any StoreDatabase
  private let library: RoadLibrary

  init(path: String?, dataFolder: String, database: any StoreDatabase, library: RoadLibrary) {
    isOff = path == Self.none
    // The path is absolute: the store keeps it for other programs, whose working folder may differ.
    file = ConfiguredFile(
      path: path, folder: URL(fileURLWithPath: dataFolder).path, suffix: ".roads", preferred: "roads.roads")
    (self.database, self.library) = (database, library)
  }

  /// Opens the file when the server starts.
  /// - Throws: ``RoadFileError`` if the file of `--roads` cannot be used. An unusable file in the data folder is only reported.
  func open(_ notices: (String) -> Void) throws {
    if isOff { return try choose(nil) }
    guard let path = file.path else {
      refresh(notices)
      if !file.wasFound { try discardMissing() }
      return
    }
    guard case .found(let stamp) = file.check() else { throw RoadFileError(path: path, reason: .unreadable("No such file")) }
    try choose(try copy(of: stamp))
  }

  /// Opens a new or changed file. Blocks the thread.
  func refresh(_ notices: (String) -> Void) {
    guard !isOff else { return }
    do {
      switch file.check() {
      case .none: break
      case .gone:
        try choose(nil)
        notices("The file of roads is gone; distances are measured from position to position.")
      case .found(let stamp):
        try choose(try copy(of: stamp))
        notices("Roads: \(stamp.path)")
      }
    } catch {
      if file.failed("\(error)") { notices("\(error)") }
    }
  }

  /// Copies the file and opens the copy. Opening verifies it, which takes a second for a country. An existing copy is opened only.
  private func copy(of stamp: ConfiguredFile.Stamp) throws(RoadFileError) -> RoadLibrary.OpenFile {
    func path(_ checksum: UInt32, _ bytes: Int) -> String {
      "\(file.folder)/\(Self.copies)\(String(checksum, radix: 16))-\(bytes)"
    }
    do throws(RoadGraphError) {
      let header = try RoadGraph.stamp(path: stamp.path)
      let known = path(header.checksum, header.bytes)
      if let graph = try? RoadGraph(path: known), graph.checksum == header.checksum {
        return RoadLibrary.OpenFile(path: known, graph)
      }
      let new = "\(file.folder)/\(Self.copies)new"
      try? FileManager.default.removeItem(atPath: new)
      do { try FileManager.default.copyItem(atPath: stamp.path, toPath: new) } catch {
        throw .unreadable("it cannot be copied into the data folder: \(error.localizedDescription)")
      }
      do throws(RoadGraphError) {
        let graph = try RoadGraph(path: new)
        let copy = path(graph.checksum, graph.byteCount)
        guard rename(new, copy) == 0 else { throw .unreadable(String(cString: strerror(errno))) }
        return RoadLibrary.OpenFile(path: copy, graph)
      } catch {
        try? FileManager.default.removeItem(atPath: new)
        throw error
      }
    } catch {
      throw RoadFileError(path: stamp.path, reason: error)
    }
  }

  private func choose(_ copy: RoadLibrary.OpenFile?) throws {
    if try database.read({ try RoadLibrary.choice($0) }) != copy?.choice {
      try database.writeAndWait { try RoadLibrary.choose(copy?.choice, $0) }
    }
    library.replace(with: copy)
    // A mapped file stays readable after its removal.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: file.folder)) ?? []
    for name in names where name.hasPrefix(Self.copies) && "\(file.folder)/\(name)" != copy?.choice.path {
      try? FileManager.default.removeItem(atPath: "\(file.folder)/\(name)")
    }
  }

  /// Discards the stored choice if its file was deleted while the server did not run. On a database server the choice may be that of
  /// another server, and is kept.
  private func discardMissing() throws {
    let isChosen = try database.read { db in try db.dialect == .sqlite && RoadLibrary.choice(db) != nil }
    if isChosen { try choose(nil) }
  }
}

/// A file that cannot be used for roads.
struct RoadFileError: Error, CustomStringConvertible {
  let path: String
  let reason: RoadGraphError

  var description: String { "The roads \(path) cannot be used: \(reason)." }
}
