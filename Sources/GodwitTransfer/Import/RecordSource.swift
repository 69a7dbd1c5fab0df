package import Foundation
package import GodwitFiles
package import GodwitModel
package import GodwitTracks

/// Where an import's records come from.
package protocol RecordSource: AnyObject {
  /// The next records; `nil` at the end.
  func next() throws -> [Record]?
  /// Receives what is skipped.
  var onSkip: ((TrackSkip) -> Void)? { get set }
  /// The language, once it is known.
  var format: RecordFormat? { get }
  /// Bytes that have been read.
  var position: Int { get }
  /// Records that have been given, those before a checkpoint included.
  var records: Int { get }
  /// Points that have no time.
  var withoutTime: Int { get }
  /// Waypoints and points of routes, which are no positions in time.
  var unused: UnusedParts { get }
  /// Where to go on after what was given; `nil`: only from the beginning.
  var checkpoint: Checkpoint? { get }
}

extension RecordFile: RecordSource {}

/// What comes out of a pipe.
package final class PipedRecords: RecordSource {
  private var feed: RecordFeed
  private var stream: RecordStream { feed.stream }

  /// - Parameters:
  ///   - handle: is read to its end.
  ///   - name: what it is called in errors.
  ///   - options: what the file does not say about itself.
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

/// What a file calls the device of a record.
package enum SourceDevice {
  /// - Returns: `nil` where it does not say.
  package static func name(of record: borrowing Record) -> String? {
    if let device = record.context.deviceID, !device.isEmpty { return device }
    guard let extras = record.extras else { return nil }
    return member("topic", of: extras) ?? member("tid", of: extras)
  }

  /// A member of an object's text that is a text without escapes.
  private static func member(_ name: String, of object: String) -> String? {
    guard let start = object.range(of: "\"\(name)\":\"") else { return nil }
    let rest = object[start.upperBound...]
    guard let end = rest.firstIndex(where: { $0 == "\"" || $0 == "\\" }), rest[end] == "\"", end > rest.startIndex else {
      return nil
    }
    return String(rest[..<end])
  }
}
