internal import GodwitModel

/// Points read from rows of ``PointRow/columns``.
///
/// Successive points mostly have one device and one context. Then the point before is copied and gets the values of the row, which is
/// faster than copying each of its texts several times.
struct PointPage {
  private(set) var points: [StoredPoint] = []
  private let limit: Int
  private let contexts: PointContexts
  private let device: (Int64) -> Device
  /// What the last point was made of.
  private var last: (device: Int64, context: Int64?, journal: UInt64?)?

  /// - Parameters:
  ///   - limit: the maximum number of points, for which memory is allocated.
  ///   - contexts: resolves the context's number.
  ///   - device: resolves the device's number.
  init(limit: Int, contexts: PointContexts, device: @escaping (Int64) -> Device) {
    (self.limit, self.contexts, self.device) = (limit, contexts, device)
  }

  private static let many = 1_000
  /// The greatest limit for which memory is allocated at once.
  private static let usualLimit = 20_000

  /// Appends successive points of a block.
  /// - Parameters:
  ///   - row: a row of ``PointRow/columns`` of the block.
  ///   - indices: the points.
  mutating func append(_ row: SealedRow, _ indices: Range<Int>) throws {
    let count = points.count + indices.count
    if points.capacity < count {
      // Many points of a block are followed by more.
      let isMany = indices.count > Self.many && limit <= Self.usualLimit
      points.reserveCapacity(isMany ? max(limit, count) : max(count, 2 * points.capacity))
    }
    var row = row
    for index in indices {
      row.move(to: index)
      try append(row)
    }
  }

  /// Appends the point of a row, unless the row is damaged.
  mutating func append(_ row: some SQLRow) throws {
    guard let fix = PointRow.fix(row) else { return }
    let (number, context) = (row.integer(0), row.optionalInteger(12))
    if let last, last.device == number, last.context == context, let point = points.last {
      points.append(point)
    } else {
      let shared = try context.map { try contexts.context($0) }
      last = (number, context, shared?.journal)
      points.append(
        StoredPoint(
          device: device(number), fix: fix, record: Record(kind: .fix(fix), context: shared?.context ?? DeviceContext()),
          cursor: PointRow.cursor(row)))
    }
    points[points.count - 1].set(fix, row, journal: last?.journal)
  }
}

extension StoredPoint {
  /// Sets all values of a row that are not its context's.
  @inline(__always)
  fileprivate mutating func set(_ fix: Fix, _ row: some SQLRow, journal: UInt64?) {
    self.fix = fix
    record.kind = .fix(fix)
    record.context.batteryLevel = PointRow.batteryLevel(row)
    record.id = nil
    if let journal, let sequence = row.optionalInteger(13) {
      record.id = RecordID(journal: journal, sequence: RecordNumber(clamping: sequence))
    }
    record.extras = row.optionalText(15)
    cursor = PointRow.cursor(row)
  }
}
