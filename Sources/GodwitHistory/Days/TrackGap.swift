/// The gap that divides a track into lines.
enum TrackGap {
  /// Seconds without a point that divide a track into lines. The web pages use the same value.
  package static let seconds: Int64 = 900
}
