internal import Foundation
internal import GodwitModel

/// The layout of a fix in PostgreSQL's table `points`: as in ``PointRow``, but with separate columns for everything.
/// Rows have a header of 23 bytes, so shared numbers would save little.
enum PostgresPointRow {
  /// The numbers of a record's shared rows.
  struct References {
    var context: Int64?
    var journal: Int64?
    var sequence: Int64?
    var importID: Int64?
  }

  /// Reads a row that begins with the columns of ``PointColumn/stored(_:)``.
  /// - Parameters:
  ///   - row: a row of points.
  ///   - texts: the texts of its context.
  ///   - journal: the 64 bits of its journal.
  ///   - device: resolves the device's number.
  static func read(
    _ row: some SQLRow, texts: DeviceContext, journal: Int64?, device: (Int64) -> Device
  ) -> StoredPoint? {
    guard let fix = PointRow.fix(row) else { return nil }
    var context = texts
    context.batteryLevel = PointRow.batteryLevel(row)
    context.batteryState = row.optionalInteger(12).flatMap { BatteryState(rawValue: UInt8(truncatingIfNeeded: $0)) }
    context.motion = Motion(rawValue: UInt8(truncatingIfNeeded: row.integer(13)))
    var id: RecordID?
    if let journal, let sequence = row.optionalInteger(16) {
      id = RecordID(journal: UInt64(bitPattern: journal), sequence: RecordNumber(clamping: sequence))
    }
    return StoredPoint(
      device: device(row.integer(0)), fix: fix,
      record: Record(id: id, kind: .fix(fix), context: context, extras: row.optionalText(18)), cursor: PointRow.cursor(row))
  }
}

/// Reads points without joins: rows that begin with the columns of ``PointColumn/stored(_:)``, and points of blocks. The shared rows are read on
/// first use.
final class PostgresPoints {
  private let connection: PostgresConnection
  private let device: (Int64) -> Device
  private var contexts: [Int64: DeviceContext] = [:]
  private var journals: [Int64: Int64] = [:]

  init(_ connection: PostgresConnection, device: @escaping (Int64) -> Device) {
    (self.connection, self.device) = (connection, device)
  }

  /// - Returns: `nil` for a damaged row.
  func read(_ row: some SQLRow) throws -> StoredPoint? {
    let texts = try row.optionalInteger(14).map { try context($0) } ?? DeviceContext()
    let bits = try row.optionalInteger(15).flatMap { try journal($0) }
    return PostgresPointRow.read(row, texts: texts, journal: bits, device: device)
  }

  private func context(_ id: Int64) throws -> DeviceContext {
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
