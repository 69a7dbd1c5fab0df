/// What one record of a request may have. Beyond it the record is rejected by name, and the others of the request are read.
///
/// The largest records that known apps send have 40 members and 2 KiB.
public enum RecordLimits {
  /// Records that one request may have, rejected ones included: OpenLocate's SDK sends all that it has in one request, 40,000 after
  /// ten days.
  public static let records = 50_000
  /// Bytes of a record's text.
  public static let bytes = 64 << 10
  /// Members of an object that have no place in a record and are kept as extras.
  public static let extraMembers = 1_000
  /// Bytes of an OwnTracks message about a position or the app; a picture in it may have `OwnTracks.largestImage`.
  public static let messageBytes = 512 << 10
  /// Bytes that are kept of a rejected record.
  public static let keptBytes = 64 << 10

  package static let tooManyMembers = "there are more than \(extraMembers) members"
  package static let tooLong = "the record has more than \(bytes) bytes"
}
