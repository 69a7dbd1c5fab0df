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

/// Finds the owner's roads: the file of `--roads`, or the first `*.roads` in the data folder. The store names the file, and trips are
/// computed again when it has other roads than before.
///
/// The server maps a copy in its data folder: a file that is overwritten while it is mapped would change under searches, or end them.
final class RoadFolder: Sendable {
  /// The word of `--roads` for no file.
  static let none = "none"
  /// How names of copies begin; the checksum and the size follow.
  private static let copies = ".roads-"

  private let file: ConfiguredFile
  private let isOff: Bool
  private let database: any StoreDatabase
  private let library: RoadLibrary

  init(path: String?, dataFolder: String, database: any StoreDatabase, library: RoadLibrary) {
    isOff = path == Self.none
    // The store keeps the path of the copy for other programs, which may have another working folder.
    file = ConfiguredFile(
      path: path, folder: URL(fileURLWithPath: dataFolder).path, suffix: ".roads", preferred: "roads.roads")
    (self.database, self.library) = (database, library)
  }

  /// Looks for the file when the server starts.
  /// - Throws: ``RoadFileError`` for the file of the command line; one that lies in the data folder is reported only.
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

  /// Looks for a file that is new or has changed. Blocks the thread.
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
      notices("\(error)")
    }
  }

  /// Copies the file, and opens the copy, which checks it and takes a second for a country. A copy that is there already is opened only.
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
    // What is mapped stays readable.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: file.folder)) ?? []
    for name in names where name.hasPrefix(Self.copies) && "\(file.folder)/\(name)" != copy?.choice.path {
      try? FileManager.default.removeItem(atPath: "\(file.folder)/\(name)")
    }
  }

  /// Without a file, a server discards the choice of one that was deleted while it did not run. On a database server the choice may be
  /// that of another server.
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
