import Foundation

/// The upload of a device for 4 May 2026, for tests of pages.
enum DayOfTests {
  /// An Overland body with an hour at home, a drive of ten minutes with an outlier, and an hour at work.
  static func overland() -> String {
    var features: [String] = []
    let start = Date(timeIntervalSince1970: 1_777_881_600)
    func add(_ seconds: Double, _ latitude: Double, _ longitude: Double) {
      features.append(
        #"{"type":"Feature","geometry":{"type":"Point","coordinates":[\#(longitude),\#(latitude)]},"properties":{"timestamp":"\#((start + seconds).ISO8601Format())","horizontal_accuracy":5}}"#
      )
    }
    for minute in 0..<60 { add(Double(minute) * 60, 46.05, 14.5) }
    for step in 0..<60 { add(3600 + Double(step) * 10, 46.05 + Double(step) * 0.001, 14.5) }
    add(3600 + 305, 46.3, 14.9)
    for minute in 0..<60 { add(4200 + Double(minute) * 60, 46.11, 14.5) }
    return #"{"locations":[\#(features.joined(separator: ","))]}"#
  }
}
