package import Foundation
package import GodwitFiles
package import GodwitModel
package import GodwitTracks

/// A source of records for an import.
package protocol RecordSource: AnyObject {
  /// Returns the next records; `nil` at the end.
  func next() throws -> [Record]?
  /// Called for each skipped part.
  var onSkip: ((TrackSkip) -> Void)? { get set }
  /// The format; `nil`: not yet known.
  var format: RecordFormat? { get }
  /// Bytes that have been read.
  var position: Int { get }
  /// Number of returned records, including those before a checkpoint.
  var records: Int { get }
  /// Number of points without a time.
  var withoutTime: Int { get }
  /// Waypoints and points of routes, which are not positions in time.
  var unused: UnusedParts { get }
  /// The checkpoint after the returned records; `nil`: the import cannot be resumed here.
  var checkpoint: Checkpoint? { get }
}

extension RecordFile: RecordSource {}

/// Reads records from a pipe.
package final class PipedRecords: RecordSource {
  private var feed: RecordFeed
  private var stream: RecordStream { feed.stream }

  /// - Parameters:
  ///   - handle: the pipe, which is read to its end.
  ///   - name: the name in errors.
  ///   - options: options for information that the data does not contain.
  package init(_ handle: FileHandle, name: String, options: RecordOptions = RecordOptions()) {
    feed = RecordFeed(handle, into: RecordStream(name: name, options: options))
  }

  package var onSkip: ((TrackSkip) -> Void)? {
    get { stream.onSkip }
    set { stream.onSkip = newValue }
  }
  package var format: RecordFormat? { stream.format }
  package var records: Int { stream.records }
  package var withoutTime: Int { stream.withoutTime }
  package var unused: UnusedParts { stream.unused }
  package var checkpoint: Checkpoint? { nil }
  package var position: Int { feed.position }

  package func next() throws -> [Record]? { try feed.next() }
}

/// Determines the name of a record's device in a file.
package enum SourceDevice {
  /// Returns the name of the device; `nil`: the record has none.
  package static func name(of record: borrowing Record) -> String? {
    if let device = record.context.deviceID, !device.isEmpty { return device }
    guard let extras = record.extras else { return nil }
    return member("topic", of: extras) ?? member("tid", of: extras)
  }

  /// Returns a string member of a JSON object, if the string has no escapes.
  private static func member(_ name: String, of object: String) -> String? {
    guard let start = object.range(of: "\"\(name)\":\"") else { return nil }
    let rest = object[start.upperBound...]
    guard let end = rest.firstIndex(where: { $0 == "\"" || $0 == "\\" }), rest[end] == "\"", end > rest.startIndex else {
      return nil
    }
    return String(rest[..<end])
  }
}
