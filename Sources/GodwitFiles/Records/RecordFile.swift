internal import Foundation
public import GodwitModel
public import GodwitTracks

/// A file of records on disk in any of the supported formats, read piece by piece; see ``RecordFormat``.
public final class RecordFile {
  /// The path of the file.
  public let path: String
  /// The size of the file in bytes when it was opened.
  public let size: Int
  private var feed: RecordFeed
  private var stream: RecordStream { feed.stream }

  /// Opens a file.
  /// - Parameters:
  ///   - path: the path of the file.
  ///   - checkpoint: the checkpoint at which reading continues, from an earlier reading of the same file; `nil` for the
  ///     beginning.
  ///   - options: the options that the file does not contain.
  /// - Throws: `TrackFileError` if the file cannot be opened, or if the checkpoint belongs to another file.
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

  /// The format; `nil` before the first records have been requested.
  public var format: RecordFormat? { stream.format }
  /// The number of bytes read so far, including those before a checkpoint. With ``size`` it is the progress.
  public var position: Int { feed.position }
  /// The number of returned records, including those before a checkpoint.
  public var records: Int { stream.records }
  /// The number of points that were skipped because they have no time.
  public var withoutTime: Int { stream.withoutTime }
  /// The numbers of parts without a time of recording: waypoints and points of routes.
  public var unused: UnusedParts { stream.unused }
  /// The other skipped parts: their number, and the first of them.
  public var skipped: (count: Int, first: [TrackSkip]) { stream.skipped }
  /// Called with each skipped part; see ``RecordStream/onSkip``.
  public var onSkip: ((TrackSkip) -> Void)? {
    get { stream.onSkip }
    set { stream.onSkip = newValue }
  }
  /// The place at which reading can continue after the returned records; `nil` before the first.
  public var checkpoint: Checkpoint? { stream.checkpoint }

  /// Returns the next records, in the order of the file; `nil` at its end.
  /// - Throws: `FormatError` if the file cannot be read further, after all records before the fault have been returned;
  ///   `TrackFileError` if the format is unknown.
  public func next() throws -> [Record]? { try feed.next() }
}
