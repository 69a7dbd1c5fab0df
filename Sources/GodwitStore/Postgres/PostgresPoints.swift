internal import Foundation
internal import GodwitModel

/// Reads points without joins, both from rows that begin with the columns of ``PointColumn/stored(_:)`` and from blocks. Shared
/// rows are read on first use, and cached. Columns are read by position, as in ``PointRow``.
final class PostgresPoints {
  private let connection: PostgresConnection
  private let device: (Int64) -> Device
  private var contexts: [Int64: DeviceContext] = [:]
  private var journals: [Int64: Int64] = [:]
  private var last: (numbers: Numbers, context: PointContext)?

  /// The columns that determine a context.
  private struct Numbers: Equatable {
    var state: Int64?
    var motion: Int64
    var context: Int64?
    var journal: Int64?
  }

  init(_ connection: PostgresConnection, device: @escaping (Int64) -> Device) {
    (self.connection, self.device) = (connection, device)
  }

  /// Reads a row that begins with the columns of ``PointColumn/stored(_:)``.
  /// - Returns: `nil` for a damaged row.
  func read(_ row: some SQLRow) throws -> StoredPoint? {
    guard let fix = PointRow.fix(row) else { return nil }
    return StoredPoint(
      device: device(row.integer(0)), fix: fix, cursor: PointRow.cursor(row), context: try context(of: row),
      sequence: row.optionalInteger(16), batteryLevel: PointRow.batteryLevel(row), extras: row.optionalText(18))
  }

  /// Returns the context of a row; the previous row's object, if both have the same.
  private func context(of row: some SQLRow) throws -> PointContext {
    let numbers = Numbers(
      state: row.optionalInteger(12), motion: row.integer(13), context: row.optionalInteger(14), journal: row.optionalInteger(15))
    if let last, last.numbers == numbers { return last.context }
    var values = try numbers.context.map { try texts($0) } ?? DeviceContext()
    values.batteryState = numbers.state.flatMap { BatteryState(rawValue: UInt8(truncatingIfNeeded: $0)) }
    values.motion = Motion(rawValue: UInt8(truncatingIfNeeded: numbers.motion))
    let journal = try numbers.journal.flatMap { try self.journal($0) }.map { UInt64(bitPattern: $0) }
    let context = PointContext(values, journal: journal)
    last = (numbers, context)
    return context
  }

  private func texts(_ id: Int64) throws -> DeviceContext {
    if let known = contexts[id] { return known }
    let context = try connection.first("SELECT wifi, trip, device_id, unique_id FROM contexts WHERE id = ?", id) {
      try DeviceContext(
        wifi: $0.optionalText("wifi"), tripID: $0.optionalText("trip"), deviceID: $0.optionalText("device_id"),
        uniqueID: $0.optionalText("unique_id"))
    }
    contexts[id] = context ?? DeviceContext()
    return context ?? DeviceContext()
  }

  private func journal(_ id: Int64) throws -> Int64? {
    if let known = journals[id] { return known }
    let journal = try connection.integer("SELECT journal FROM journals WHERE id = ?", id)
    journals[id] = journal
    return journal
  }
}
