/// What breaks a line of a track.
enum TrackGap {
  /// Seconds without a point that break a line, as on the page.
  package static let seconds: Int64 = 900
}
