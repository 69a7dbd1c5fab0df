import Foundation
import GodwitModel
import GodwitModes
import Testing

@testable import AccuracyData

/// A synthetic data set in the format of MobilityNet: two phones, one trip of two parts.
final class SyntheticMobilityNet {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("accuracy-\(UUID().uuidString)")

  init() throws {
    let legs = [["id": "walk_start", "mode": "WALKING"], ["id": "drive", "mode": "CAR"]]
    try write(
      "shankari@eecs.berkeley.edu/here/config~evaluation_spec/0.json",
      ["data": ["label": ["evaluation_trips": [["id": "trip", "legs": legs]]]]])
    func transition(_ id: String, _ name: String, _ time: Double) -> [String: Any] {
      ["data": ["trip_id": id, "transition": name, "ts": time]]
    }
    let period = [
      transition("fixed:ACCURACY_CONTROL", "START_EVALUATION_PERIOD", 1000.4),
      transition("fixed:ACCURACY_CONTROL", "STOP_EVALUATION_PERIOD", 9000.2),
    ]
    let truth = [
      transition("trip", "START_EVALUATION_TRIP", 2000), transition("walk_start", "START_EVALUATION_SECTION", 2000.5),
      transition("walk_start", "STOP_EVALUATION_SECTION", 2300), transition("drive", "START_EVALUATION_SECTION", 2300),
      transition("drive", "STOP_EVALUATION_SECTION", 4000), transition("trip", "STOP_EVALUATION_TRIP", 4000.5),
    ]
    // The file of each experiment has the notes of all experiments.
    for experiment in ["here", "there"] {
      try write("ucb-sdb-ios-1/\(experiment)/manual~evaluation_transition/0_9.json", period + truth)
    }
    try write("ucb-sdb-android-2/here/manual~evaluation_transition/0_9.json", period)
    let fixes = [2001.0, 1999.5].map { time in
      ["data": ["latitude": 37.4, "longitude": -122.1, "accuracy": 65, "ts": time]]
    }
    try write("ucb-sdb-ios-1/here/background~location/1000_9001.json", fixes)
    // For this phone, the list with repeated positions has no file of the period.
    try write("ucb-sdb-android-2/here/background~filtered_location/1001_9000.json", fixes)
    try write("ucb-sdb-android-2/here/background~location/500000_600000.json", fixes)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Writes a file of the set as JSON.
  func write(_ path: String, _ value: Any) throws {
    let file = folder.appendingPathComponent(path)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try JSONSerialization.data(withJSONObject: value).write(to: file)
  }
}

@Suite("The loader of MobilityNet")
struct MobilityNetTests {
  @Test("trips and their parts are read without duplicates, with their means of transport")
  func truth() throws {
    let set = try SyntheticMobilityNet()
    defer { withExtendedLifetime(set) {} }
    let data = try MobilityNet(folder: set.folder)
    #expect(data.phones == ["ucb-sdb-android-2", "ucb-sdb-ios-1"])
    #expect(data.trips.map(\.start.timeIntervalSince1970) == [2000] && data.trips.map(\.duration) == [2000.5])
    #expect(data.legs.map(\.mode) == ["WALKING", "CAR"] && data.legs.map(\.id) == ["walk_start", "drive"])
  }

  @Test("a phone has the periods with trips and a file, with their fixes in order of time")
  func periods() throws {
    let set = try SyntheticMobilityNet()
    defer { withExtendedLifetime(set) {} }
    let data = try MobilityNet(folder: set.folder)
    for phone in data.phones {
      let periods = data.periods(of: phone)
      #expect(periods.map(\.setting) == ["ACCURACY_CONTROL"] && periods.map(\.isApple) == [phone.contains("ios")])
      let period = try #require(periods.first)
      #expect(try data.fixes(of: period).map(\.time.timeIntervalSince1970) == [1999.5, 2001])
    }
  }

  @Test("modes of the set have a kind that the model knows, or none")
  func kinds() {
    let words = ["WALKING", "BICYCLING", "E_BIKE", "BUS", "CAR", "TRAIN", "SUBWAY"]
    #expect(words.compactMap(MobilityNet.kind) == [.walk, .bicycle, .bicycle, .bus, .car, .train, .subway])
    #expect(["ESCOOTER", "LIGHT_RAIL", "STOPPED"].allSatisfy { MobilityNet.kind(of: $0) == nil })
  }

  @Test("a folder without phones is rejected")
  func wrong() {
    #expect(throws: DatasetError.self) { try MobilityNet(folder: URL(fileURLWithPath: "/nowhere")) }
  }
}
