internal import GodwitModel
internal import GodwitSQLite

/// The contexts of points by number, read on first use and cached for one read. Many points share few contexts, and a
/// join of two more tables for each point was slower than the point itself.
final class PointContexts {
  /// A row of `contexts`.
  struct Shared {
    /// Without the battery level, which changes too often to be shared.
    var context = DeviceContext()
    var journal: UInt64?
  }

  private let statement: Statement
  private var known: [Int64: Shared] = [:]
  private var last: (id: Int64, shared: Shared)?

  init(_ database: Database) throws {
    statement = try database.statement(
      """
      SELECT wifi, trip, device_id, unique_id, battery_state, motion, journals.journal
      FROM contexts LEFT JOIN journals ON journals.id = contexts.journal WHERE contexts.id = ?
      """)
  }

  func context(_ id: Int64) throws -> Shared {
    if let last, last.id == id { return last.shared }
    let shared = try known[id] ?? read(id)
    last = (id, shared)
    return shared
  }

  private func read(_ id: Int64) throws -> Shared {
    var shared = Shared()
    statement.bind(id, at: 1)
    defer { statement.reset() }
    // A deleted context reads as an empty one.
    if try statement.step() {
      // By position, as the points: reading points includes it.
      shared.context = DeviceContext(
        batteryState: statement.optionalInteger(4).flatMap { BatteryState(rawValue: UInt8(truncatingIfNeeded: $0)) },
        motion: Motion(rawValue: UInt8(truncatingIfNeeded: statement.integer(5))),
        wifi: statement.optionalText(0), tripID: statement.optionalText(1), deviceID: statement.optionalText(2),
        uniqueID: statement.optionalText(3))
      shared.journal = statement.optionalInteger(6).map { UInt64(bitPattern: $0) }
      try statement.checkMemory()
    }
    known[id] = shared
    return shared
  }
}
