package import Foundation
package import GodwitFiles
package import GodwitModel
package import GodwitStore

/// Exports the records of a device in a file format, piece by piece. The memory for points does not depend on the length of
/// the history.
package struct RecordExport {
  /// Points in one read.
  private static let pageSize = 5_000

  private var writer: RecordWriter
  private let points: (PointQuery) throws -> [StoredPoint]
  private var query: PointQuery
  /// Records other than points, such as visits and trips, ordered by time.
  private var events: ArraySlice<Record>
  private var phase = Phase.header
  /// Number of written records.
  package private(set) var count = 0
  /// Number of records that the format does not support.
  package private(set) var leftOut = 0

  private enum Phase { case header, points, over }

  /// - Parameters:
  ///   - device: the device of the records.
  ///   - format: the format of the file.
  ///   - from: the start, inclusive; `nil`: unbounded.
  ///   - to: the end, exclusive; `nil`: unbounded.
  ///   - store: the store of the records.
  package init(
    of device: Device, as format: RecordWriter.Format, from: Date?, to: Date?, in store: any TrackStore
  ) throws {
    self.init(
      of: device, as: format, from: from, to: to, events: try store.events(device: device.id, from: from, to: to),
      points: { try store.points($0) })
  }

  /// Exports only the records that a principal may see. `events` are the records other than points, and `points` returns a
  /// page of points.
  package init(
    of device: Device, as format: RecordWriter.Format, from: Date?, to: Date?, events: [Record],
    points: @escaping (PointQuery) throws -> [StoredPoint]
  ) {
    writer = RecordWriter(format, device: device.name)
    self.points = points
    query = PointQuery(device: device.id, from: from, to: to, limit: Self.pageSize)
    self.events = events.sorted { $0.time < $1.time }[...]
  }

  /// Returns the next bytes; `nil` at the end.
  ///
  /// - Throws: the store's error.
  package mutating func next() throws -> [UInt8]? {
    var bytes: [UInt8] = []
    switch phase {
    case .header:
      writer.header(into: &bytes)
      phase = .points
      // Some formats have no header.
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
