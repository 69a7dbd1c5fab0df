internal import Foundation
internal import GodwitHistory
internal import GodwitRoads
internal import GodwitStore
internal import Synchronization

/// Finds the owner's roads: the file of `--roads`, or the first `*.roads` in the data folder. The store names the file, and trips are
/// computed again when it has other roads than before.
final class RoadFolder: Sendable {
  /// The word of `--roads` for no file.
  static let none = "none"

  private let file: ConfiguredFile
  private let isOff: Bool
  private let database: any StoreDatabase
  private let library: RoadLibrary
  private let last = Mutex<ConfiguredFile.Stamp?>(nil)

  init(path: String?, dataFolder: String, database: any StoreDatabase, library: RoadLibrary) {
    isOff = path == Self.none
    // The store keeps the path for other programs, which may have another working folder.
    let path = path.map { URL(fileURLWithPath: $0).path }
    file = ConfiguredFile(path: path, folder: URL(fileURLWithPath: dataFolder).path, suffix: ".roads", preferred: "roads.roads")
    (self.database, self.library) = (database, library)
  }

  /// Looks for the file when the server starts.
  /// - Throws: ``RoadFileError`` for the file of the command line; one that lies in the data folder is reported only.
  func open(_ notices: (String) -> Void) throws {
    if isOff { return try choose(nil) }
    guard let path = file.path else {
      if file.stamp == nil { try discardMissing() }
      return refresh(notices)
    }
    guard let stamp = file.stamp else { throw RoadFileError(path: path, reason: .unreadable("No such file")) }
    last.withLock { $0 = stamp }
    try choose(try Self.choice(stamp))
  }

  /// Looks for a file that is new or has changed. Blocks the thread.
  func refresh(_ notices: (String) -> Void) {
    guard !isOff else { return }
    let stamp = file.stamp
    let isNew = last.withLock { last in
      defer { last = stamp }
      return last != stamp
    }
    guard isNew else { return }
    do {
      if let stamp {
        try choose(try Self.choice(stamp))
        notices("Roads: \(stamp.path)")
      } else {
        try choose(nil)
        notices("The file of roads is gone; distances are measured from position to position.")
      }
    } catch {
      notices("\(error)")
    }
  }

  /// Checks the whole file, which takes a second for a country.
  private static func choice(_ stamp: ConfiguredFile.Stamp) throws(RoadFileError) -> RoadLibrary.Choice {
    do throws(RoadGraphError) {
      _ = try RoadGraph(path: stamp.path)
      return try RoadLibrary.Choice(path: stamp.path)
    } catch {
      throw RoadFileError(path: stamp.path, reason: error)
    }
  }

  private func choose(_ choice: RoadLibrary.Choice?) throws {
    guard try database.read({ try RoadLibrary.choice($0) }) != choice else { return }
    try database.writeAndWait { _ = try RoadLibrary.choose(choice, $0) }
    library.invalidate()
  }

  /// Without a file of its own, a server discards the choice of one that was deleted while it did not run. On a database server the file may be on the
  /// machine of another server.
  private func discardMissing() throws {
    let missing = try database.read { db -> Bool in
      guard db.dialect == .sqlite, let choice = try RoadLibrary.choice(db) else { return false }
      return !FileManager.default.fileExists(atPath: choice.path)
    }
    if missing { try choose(nil) }
  }
}

/// A file that cannot be used for roads.
struct RoadFileError: Error, CustomStringConvertible {
  let path: String
  let reason: RoadGraphError

  var description: String { "The roads \(path) cannot be used: \(reason)." }
}
