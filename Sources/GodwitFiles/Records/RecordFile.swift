internal import Foundation
public import GodwitModel
public import GodwitTracks

/// A file of records on disk, read piece by piece in whichever language it is; see ``RecordFormat``.
public final class RecordFile {
  /// Where it is.
  public let path: String
  /// Bytes of the file when it was opened.
  public let size: Int
  private var feed: RecordFeed
  private var stream: RecordStream { feed.stream }

  /// Opens a file.
  /// - Parameters:
  ///   - path: of the file.
  ///   - checkpoint: where to go on, from an earlier reading of the same file.
  ///   - options: what the file does not say about itself.
  /// - Throws: `TrackFileError` where it cannot be read, where it is in none of the languages, and where the checkpoint is
  ///   of another file.
  public init(path: String, from checkpoint: Checkpoint? = nil, options: RecordOptions = RecordOptions()) throws {
    self.path = path
    let handle = try TrackFileError.opening(path)
    do {
      size = Int(try handle.seekToEnd())
      try handle.seek(toOffset: 0)
    } catch { throw TrackFileError(path: path, reason: "it is not seekable; it may be a folder or a pipe") }
    feed = RecordFeed(handle, into: RecordStream(name: path, from: checkpoint, options: options))
    if let checkpoint {
      let head = try handle.read(upToCount: Checkpoint.fingerprintSize) ?? Data()
      guard Checkpoint.fingerprint(head) == checkpoint.fingerprint, checkpoint.byte <= size else {
        throw TrackFileError(path: path, reason: "the file has changed since reading stopped; read it from its beginning")
      }
      feed.position = checkpoint.byte
      try handle.seek(toOffset: UInt64(checkpoint.byte))
    }
  }

  /// The language; `nil` before the first records have been requested.
  public var format: RecordFormat? { stream.format }
  /// Bytes that have been read so far, those before a checkpoint included: of ``size``, the progress.
  public var position: Int { feed.position }
  /// Records that have been given, those before a checkpoint included.
  public var records: Int { stream.records }
  /// Points that were skipped because they have no time.
  public var withoutTime: Int { stream.withoutTime }
  /// Parts that are no records in time: waypoints and points of routes.
  public var unused: UnusedParts { stream.unused }
  /// What else was skipped: how often, and the first few times.
  public var skipped: (count: Int, first: [TrackSkip]) { stream.skipped }
  /// Called with each skipped part; see ``RecordStream/onSkip``.
  public var onSkip: ((TrackSkip) -> Void)? {
    get { stream.onSkip }
    set { stream.onSkip = newValue }
  }
  /// Where to go on after the records that have been given; `nil` before the first.
  public var checkpoint: Checkpoint? { stream.checkpoint }

  /// The next records, in the order of the file; `nil` at its end.
  /// - Throws: `FormatError` where the file cannot be read on, after what came before it has been given;
  ///   `TrackFileError` where it is in none of the languages.
  public func next() throws -> [Record]? { try feed.next() }
}
