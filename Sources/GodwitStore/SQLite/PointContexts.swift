internal import GodwitModel
internal import GodwitSQLite

/// The contexts of points by number, read on first use and cached for one read. Many points share few contexts. A join with two
/// more tables took longer than reading the point itself.
final class PointContexts {
  private let statement: Statement
  private let none = PointContext()
  private var known: [Int64: PointContext] = [:]
  private var last: (id: Int64, context: PointContext)?

  init(_ database: Database) throws {
    statement = try database.statement(
      """
      SELECT wifi, trip, device_id, unique_id, battery_state, motion, journals.journal
      FROM contexts LEFT JOIN journals ON journals.id = contexts.journal WHERE contexts.id = ?
      """)
  }

  /// - Parameter id: the number of a row of `contexts`; `nil`: the context is empty.
  func context(_ id: Int64?) throws -> PointContext {
    guard let id else { return none }
    if let last, last.id == id { return last.context }
    let context = try known[id] ?? read(id)
    last = (id, context)
    return context
  }

  private func read(_ id: Int64) throws -> PointContext {
    statement.bind(id, at: 1)
    defer { statement.reset() }
    // A deleted context reads as an empty one.
    var context = none
    if try statement.step() {
      // By position, because this is part of the hot path of reading points.
      context = PointContext(
        DeviceContext(
          batteryState: statement.optionalInteger(4).flatMap { BatteryState(rawValue: UInt8(truncatingIfNeeded: $0)) },
          motion: Motion(rawValue: UInt8(truncatingIfNeeded: statement.integer(5))),
          wifi: statement.optionalText(0), tripID: statement.optionalText(1), deviceID: statement.optionalText(2),
          uniqueID: statement.optionalText(3)),
        journal: statement.optionalInteger(6).map { UInt64(bitPattern: $0) })
      try statement.checkMemory()
    }
    known[id] = context
    return context
  }
}
