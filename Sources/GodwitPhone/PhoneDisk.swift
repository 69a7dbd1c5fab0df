internal import GodwitSQLite
internal import Synchronization

/// The phone's simulated disk: databases in memory that live as long as the phone.
struct PhoneDisk {
  private static let disks = Atomic<Int>(0)

  private let name = "phone\(Self.disks.wrappingAdd(1, ordering: .relaxed).newValue)"
  private var databases: [String: Database] = [:]
  private var timesEmptied = 0

  /// Returns the path of a database. The database is created if it does not exist.
  mutating func path(_ file: String) -> String {
    let path = "memdb:/\(name).\(timesEmptied)-\(file)"
    if databases[path] == nil { databases[path] = try? Database(path: path) }
    return path
  }

  /// Deletes the app's data. A database that is still open is no longer reachable by its path.
  mutating func removeAll() {
    databases = [:]
    timesEmptied += 1
  }
}
