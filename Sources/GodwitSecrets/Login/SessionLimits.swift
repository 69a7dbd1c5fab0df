/// How long a browser stays signed in; the same for users and for the administrator.
package enum SessionLimits {
  /// Days without use after which a session ends.
  package static let idleDays = 30.0
  /// Days after which a session ends however it is used.
  package static let maximumDays = 180.0
  /// Seconds between two notes of a session's use.
  package static let useRecordingInterval = 300.0
}
