/// Limits of one record of a request. A record beyond a limit is rejected with a reason; the other records of the request are read.
///
/// The largest records that known apps send have 40 members and 2 KiB.
public enum RecordLimits {
  /// Maximum records of a request, including rejected ones. OpenLocate's SDK sends all its records in one request: 40,000 after ten days.
  public static let records = 50_000
  /// Maximum bytes of a record's text.
  public static let bytes = 64 << 10
  /// Maximum members of an object that have no field in a record and are stored as extras.
  public static let extraMembers = 1_000
  /// Maximum bytes of an OwnTracks message about a position or the app. A picture in it may have `OwnTracks.largestImage`.
  public static let messageBytes = 512 << 10
  /// Maximum stored bytes of a rejected record.
  public static let keptBytes = 64 << 10

  package static let tooManyMembers = "there are more than \(extraMembers) members"
  package static let tooLong = "the record has more than \(bytes) bytes"
}
