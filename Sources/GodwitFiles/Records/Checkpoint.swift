internal import GodwitTracks

/// A place in a file where reading can go on later, in another process too: everything before it has been given.
///
/// It is a value to be kept as JSON beside what has been stored of the file.
public struct Checkpoint: Sendable, Hashable, Codable {
  /// The file's language.
  public let format: RecordFormat
  /// Bytes of the file that need not be read again. It may be a little less than what was read: the beginning of a record
  /// that was not complete.
  public let byte: Int
  /// Whether reading goes on in the middle. If not, all is read again from the beginning, and what was given is skipped; what
  /// was skipped is reported again.
  public var isInTheMiddle: Bool { state != nil }
  /// Records that have been given.
  public internal(set) var records: Int
  /// Points without a time that have been skipped.
  public internal(set) var withoutTime: Int
  /// The rest that has been skipped.
  var skips: Skips
  /// `nil`: the file must be read again from its beginning, and as many records skipped as have been given.
  var state: ParserState?
  /// Of the file's first bytes, so that it is not gone on with in another file.
  var fingerprint: UInt64
  /// Waypoints and points of routes; `nil`: noted by a version that did not count them.
  var unused: UnusedParts?

  /// How much of the file is in the fingerprint.
  static let fingerprintSize = 4096

  /// FNV-1a, 64 bits.
  static func fingerprint(_ head: some Sequence<UInt8>) -> UInt64 {
    head.prefix(fingerprintSize).reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}
