package import Foundation
package import GodwitFiles
package import GodwitModel
package import GodwitStore

/// What a store has of a device, in one of the languages of files, piece by piece: it needs the same memory for a day as for ten
/// years.
package struct RecordExport {
  /// Points that are read at once.
  private static let pageSize = 5_000

  private var writer: RecordWriter
  private let points: (PointQuery) throws -> [StoredPoint]
  private var query: PointQuery
  /// Visits, trips and what else there is beside points, in the order of their times.
  private var events: ArraySlice<Record>
  private var phase = Phase.header
  /// Records that were written.
  package private(set) var count = 0
  /// Records that the language has no place for.
  package private(set) var leftOut = 0

  private enum Phase { case header, points, over }

  /// - Parameters:
  ///   - device: the device of the records.
  ///   - format: the language.
  ///   - from: the first moment.
  ///   - to: the moment before which it ends.
  ///   - store: where they are.
  package init(
    of device: Device, as format: RecordWriter.Format, from: Date?, to: Date?, in store: any TrackStore
  ) throws {
    self.init(
      of: device, as: format, from: from, to: to, events: try store.events(device: device.id, from: from, to: to),
      points: { try store.points($0) })
  }

  /// The same of what a reader may see: `events` is what there is beside points, and `points` gives a page of those.
  package init(
    of device: Device, as format: RecordWriter.Format, from: Date?, to: Date?, events: [Record],
    points: @escaping (PointQuery) throws -> [StoredPoint]
  ) {
    writer = RecordWriter(format, device: device.name)
    self.points = points
    query = PointQuery(device: device.id, from: from, to: to, limit: Self.pageSize)
    self.events = events.sorted { $0.time < $1.time }[...]
  }

  /// The next bytes; `nil` at the end. - Throws: the store's error.
  package mutating func next() throws -> [UInt8]? {
    var bytes: [UInt8] = []
    switch phase {
    case .header:
      writer.header(into: &bytes)
      phase = .points
      // Some languages have none.
      return bytes.isEmpty ? try next() : bytes
    case .points:
      let page = try points(query)
      bytes.reserveCapacity(page.count * 100)
      for point in page {
        while let event = events.first, event.time < point.fix.time { append(events.removeFirst(), &bytes) }
        append(point.record, &bytes)
      }
      query.after = page.last?.cursor
      if page.count < query.limit {
        for event in events { append(event, &bytes) }
        writer.footer(into: &bytes)
        phase = .over
      }
      return bytes.isEmpty ? try next() : bytes
    case .over: return nil
    }
  }

  private mutating func append(_ record: Record, _ bytes: inout [UInt8]) {
    if writer.format.carries(record) { count += 1 } else { leftOut += 1 }
    writer.append(record, into: &bytes)
  }
}
