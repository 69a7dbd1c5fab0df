internal import GodwitModel

/// Points read from rows of ``PointRow/columns``.
struct PointPage {
  private(set) var points: [StoredPoint] = []
  private let limit: Int
  private let contexts: PointContexts
  private let device: (Int64) -> Device
  /// The device of the last point.
  private var last: Device?

  /// - Parameters:
  ///   - limit: the maximum number of points, for which memory is allocated.
  ///   - contexts: resolves the context's number.
  ///   - device: resolves the device's number.
  init(limit: Int, contexts: PointContexts, device: @escaping (Int64) -> Device) {
    (self.limit, self.contexts, self.device) = (limit, contexts, device)
  }

  private static let many = 1_000
  /// The greatest limit for which memory is allocated in advance.
  private static let usualLimit = 20_000

  /// Appends successive points of a block.
  /// - Parameters:
  ///   - row: a row of ``PointRow/columns`` of the block.
  ///   - indices: the points.
  mutating func append(_ row: SealedRow, _ indices: Range<Int>) throws {
    let count = points.count + indices.count
    if points.capacity < count {
      // If a block has many selected points, more points usually follow.
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
    let number = row.integer(0)
    let device: Device
    if let last, last.id == number { device = last } else { device = self.device(number) }
    last = device
    points.append(
      StoredPoint(
        device: device, fix: fix, cursor: PointRow.cursor(row), context: try contexts.context(row.optionalInteger(12)),
        sequence: row.optionalInteger(13), batteryLevel: PointRow.batteryLevel(row), extras: row.optionalText(15)))
  }
}
