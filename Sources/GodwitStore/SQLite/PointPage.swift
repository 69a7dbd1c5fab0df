internal import Foundation
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

  /// Appends successive points of a block, unless their coordinates are damaged.
  ///
  /// Reads the columns directly, because finding each of them in a row for each point takes half as much time again.
  /// - Parameters:
  ///   - block: a block with the columns of ``PointRow/columns``.
  ///   - indices: the points.
  ///   - number: the number of the device.
  mutating func append(_ block: SealedBlock, _ indices: Range<Int>, ofDevice number: Int64) throws {
    reserve(indices.count)
    let device = device(number)
    let (times, latitudes, longitudes) = (block.times.span, block.latitudes.span, block.longitudes.span)
    let (altitude, horizontal, vertical) = (
      block.optional(.altitude), block.optional(.horizontalAccuracy), block.optional(.verticalAccuracy)
    )
    let (speed, speedAccuracy) = (block.optional(.speed), block.optional(.speedAccuracy))
    let (course, courseAccuracy) = (block.optional(.course), block.optional(.courseAccuracy))
    let (battery, context, sequence) = (block.optional(.batteryLevel), block.optional(.context), block.optional(.sequence))
    let extras = block.texts(.extras)
    var (contextID, shared) = (Int64?.none, try contexts.context(nil))
    for index in indices {
      if context[index] != contextID {
        contextID = context[index]
        shared = try contexts.context(contextID)
      }
      let key = PointKey(time: times[index], latitude: latitudes[index], longitude: longitudes[index])
      guard let place = PointRow.coordinate(latitude: key.latitude, longitude: key.longitude) else { continue }
      let fix = Fix(
        time: Date(millisecondsSince1970: key.time), coordinate: place, horizontalAccuracy: horizontal.value(index, 100),
        altitude: altitude.value(index, 100), verticalAccuracy: vertical.value(index, 100), speed: speed.value(index, 100),
        speedAccuracy: speedAccuracy.value(index, 100), course: course.value(index, 100),
        courseAccuracy: courseAccuracy.value(index, 100))
      points.append(
        StoredPoint(
          device: device, fix: fix, cursor: PointRow.cursor(key, ofDevice: number), context: shared,
          sequence: sequence[index], batteryLevel: battery.value(index, 10_000), extras: extras.isEmpty ? nil : extras[index]))
    }
  }

  private mutating func reserve(_ more: Int) {
    let count = points.count + more
    guard points.capacity < count else { return }
    // If a block has many selected points, more points usually follow.
    let isMany = more > Self.many && limit <= Self.usualLimit
    points.reserveCapacity(isMany ? max(limit, count) : max(count, 2 * points.capacity))
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
