internal import GodwitTracks

/// A place in a file at which reading can continue later, also in another process. All records before it have been
/// returned.
///
/// Store the checkpoint as JSON together with the stored records of the file.
public struct Checkpoint: Sendable, Hashable, Codable {
  /// The format of the file.
  public let format: RecordFormat
  /// The number of bytes that need not be read again. It may be slightly less than the number of bytes read, because of an
  /// incomplete record.
  public let byte: Int
  /// Whether reading continues in the middle of the file. If not, the file is read again from the beginning, returned
  /// records are skipped, and skipped parts are reported again.
  public var isInTheMiddle: Bool { state != nil }
  /// The number of returned records.
  public internal(set) var records: Int
  /// The number of skipped points without a time.
  public internal(set) var withoutTime: Int
  /// The other skipped parts.
  var skips: Skips
  /// The state of the parser; `nil` if the file must be read again from its beginning and the returned records must be
  /// skipped.
  var state: ParserState?
  /// The fingerprint of the file's first bytes, so that a checkpoint is not used with another file.
  var fingerprint: UInt64
  /// The numbers of waypoints and points of routes; `nil` in a checkpoint of a version that did not count them.
  var unused: UnusedParts?

  /// The number of bytes in the fingerprint.
  static let fingerprintSize = 4096

  /// Returns the FNV-1a hash of 64 bits.
  static func fingerprint(_ head: some Sequence<UInt8>) -> UInt64 {
    head.prefix(fingerprintSize).reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}
