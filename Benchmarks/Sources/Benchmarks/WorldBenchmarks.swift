import Foundation
import GodwitModel
import GodwitSimulator

/// The speed of the simulated world relative to real time, without a tracker, on one core.
enum WorldBenchmarks {
  static func all() throws -> [Measurement] {
    [
      try measure("world, an hour without satellites, times real time", nil, goal: 10_000_000),
      try measure("world, an hour at 1 km, times real time", .kilometer, goal: 10_000_000),
      try measure("world, an hour of satellites at 1 Hz, times real time", .best, goal: 1_000_000),
    ]
  }

  /// A drive through a town with one sample per second, like a recorded track.
  private static func drive(hours: Int) throws -> Truth {
    let start = Date(timeIntervalSince1970: 1_795_132_800)
    let fixes = (0...hours * 3_600).compactMap { second in
      // There and back, so that it stays in one area.
      let offset = Double(second % 7_200 < 3_600 ? second % 3_600 : 3_600 - second % 3_600)
      return Coordinate(latitude: 45 + offset * 0.0001, longitude: 14 + offset * 0.00005).map {
        Fix(time: start.addingTimeInterval(Double(second)), coordinate: $0)
      }
    }
    return try Truth(days: [fixes])
  }

  private static func measure(_ name: String, _ accuracy: DesiredAccuracy?, goal: Double) throws -> Measurement {
    let hours = 24
    let truth = try drive(hours: hours)
    var positions = 0
    let seconds = fastest(of: 5) {
      positions = 0
      var world = World(truth: truth, phone: .usual, seed: 1)
      let end = truth.start + Double(hours * 3_600)
      if let accuracy { world.startUpdating(accuracy) }
      // An app checks the battery from time to time.
      while world.now < end {
        while let event = world.next(until: min(end, world.now + 60)) { if case .position = event { positions += 1 } }
      }
    }
    if accuracy == .best { precondition(positions > hours * 3_000) }
    return Measurement(name: name, value: Double(hours * 3_600) / seconds, unit: "× real time", goal: goal)
  }
}
