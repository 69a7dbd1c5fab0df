/// The gap that divides a track into lines.
enum TrackGap {
  /// Seconds without a point that divide lines, as on the page.
  package static let seconds: Int64 = 900
}
