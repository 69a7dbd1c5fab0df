internal import Foundation
package import GodwitModel
package import GodwitStore

/// A page of a device's history: all records in a range of times.
package struct MirrorPage: Sendable {
  /// Maximum records of a page, unless more have the same time.
  package static let size = 2_000

  /// Fixes and events, by time.
  package let records: [Record]
  /// The time before which the page is complete, in milliseconds since 1970; `nil`: the whole range is complete.
  package let next: Int64?

  /// Reads the first page of a range.
  /// - Parameters:
  ///   - device: the device.
  ///   - times: the range in milliseconds since 1970; `Int64.min` and `Int64.max` mean unbounded.
  ///   - size: the maximum records of a page.
  ///   - store: the store. Blocks the thread.
  package init(of device: Int64, _ times: Range<Int64>, size: Int = MirrorPage.size, in store: any TrackStore) throws {
    guard !times.isEmpty else {
      (records, next) = ([], nil)
      return
    }
    func date(_ time: Int64) -> Date? { time == .min || time == .max ? nil : Date(millisecondsSince1970: time) }
    let (from, to) = (date(times.lowerBound), date(times.upperBound))
    var query = PointQuery(device: device, from: from, to: to, limit: max(1, size))
    var points = try store.points(query)
    var bound: Int64?
    while points.count == query.limit, let first = points.first?.time, let last = points.last?.time {
      if first < last {
        // More points may have the same time as the last one.
        bound = last
        break
      }
      query.limit *= 4
      points = try store.points(query)
    }
    var events = try store.events(device: device, from: from, to: bound.map { Date(millisecondsSince1970: $0) } ?? to)
    if events.count > size {
      let (first, time) = (EventRow(events[0]).time, EventRow(events[size]).time)
      if first < time { bound = time }
    }
    if let bound {
      points.removeAll { $0.time >= bound }
      events.removeAll { EventRow($0).time >= bound }
    }
    records = points.map(\.record) + events
    next = bound
  }

  /// Returns the time under which a record is stored, in milliseconds since 1970.
  static func time(of record: Record) -> Int64 {
    if case .fix(let fix) = record.kind { return fix.time.millisecondsSince1970 }
    return EventRow(record).time
  }
}

extension StoredPoint {
  /// Milliseconds since 1970.
  fileprivate var time: Int64 { fix.time.millisecondsSince1970 }
}
