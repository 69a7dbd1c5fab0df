import Foundation
import GodwitModel
import GodwitSimulator
import Testing

@testable import GodwitTracks

private let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent()
private let walk = root.appendingPathComponent("Tests/GodwitFilesTests/Fixtures/korita-zbevnica.gpx")
private let geolife = root.deletingLastPathComponent().appendingPathComponent("shared/data/geolife")

private func fixes(_ path: String) throws -> [Fix] {
  let file = try TrackFile(path: path)
  var fixes: [Fix] = []
  while let points = try file.next() {
    fixes += points.compactMap { point in
      point.time.map { Fix(time: $0, coordinate: point.coordinate, altitude: point.altitude) }
    }
  }
  return fixes
}

@Suite("Recorded days")
struct RecordedDayTests {
  @Test("the true track of a recorded walk contains every recorded point, and its motion is often walking")
  func recordedWalk() throws {
    let recorded = try fixes(walk.path)
    let truth = try Truth(days: [recorded])
    #expect(recorded.count > 500 && truth.impossible == 0)
    var cursor = TruthCursor(truth)
    var off = 0
    for fix in recorded {
      let there = cursor.state(at: SimulatedTime(fix.time))
      if GreatCircle.distance(fix.coordinate, there.coordinate) > 0.01 { off += 1 }
    }
    #expect(off <= truth.repeated)
    var walking = 0.0
    var seconds = 0.0
    while truth.start + seconds < truth.end {
      if cursor.state(at: truth.start + seconds).motion == .walking { walking += 10 }
      seconds += 10
    }
    #expect(walking / seconds > 0.4)
  }

  @Test("at the best accuracy there is a position every second under open sky, within its error")
  func followed() throws {
    var rules = TruthRules()
    rules.surroundings = .only(.openSky)
    let truth = try Truth(days: [try fixes(walk.path)], rules: rules)
    var world = World(truth: truth, phone: .usual, seed: 8)
    world.startUpdating(.best)
    var outdoors = 0
    var cursor = TruthCursor(truth)
    var second = truth.start
    while second < truth.end {
      if cursor.state(at: second).environment.seesSky { outdoors += 1 }
      second = second + 1
    }
    var errors: [Double] = []
    while let event = world.next(until: truth.end) {
      guard let (fix, origin) = event.position, origin == .satellites else { continue }
      errors.append(GreatCircle.distance(fix.coordinate, world.truth().coordinate))
    }
    #expect(Double(errors.count) > 0.97 * Double(outdoors))
    errors.sort()
    #expect(errors[errors.count / 2] < 4.5 && errors[errors.count * 95 / 100] < 10)
  }

  @Test(
    "days of real people become tracks without gaps and jumps",
    .enabled(if: FileManager.default.fileExists(atPath: geolife.path), "GeoLife's tracks are not beside this checkout"),
    arguments: ["000", "001", "002", "005", "007", "010"])
  func lives(person: String) throws {
    let folder = geolife.appendingPathComponent(person)
    let files = (FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? []).filter {
      $0.hasSuffix(".plt")
    }
    let days = try files.sorted().map { try fixes(folder.appendingPathComponent($0).path) }
    let count = days.reduce(0) { $0 + $1.count }
    let truth = try Truth(days: days)
    #expect(Double(truth.impossible) < 0.001 * Double(count), "\(truth.impossible) of \(count) left out")
    var cursor = TruthCursor(truth)
    var last: Coordinate?
    var moving = 0
    var time = truth.start
    let step = max(1, ((truth.end - truth.start) / 200_000).rounded(.up))
    while time < truth.end {
      let state = cursor.state(at: time)
      if let last { #expect(GreatCircle.distance(last, state.coordinate) <= 321 * step) }
      last = state.coordinate
      if state.isMoving { moving += 1 }
      time = time + step
    }
    #expect(moving > 100)
    // A simulated phone with a charger records the track.
    var world = World(truth: truth, phone: .usual, seed: 1)
    world.startUpdating(.hundredMeters)
    world.setCharger(true)
    var positions = 0
    let end = min(truth.end, truth.start + 7 * 86_400)
    while let event = world.next(until: end) { if event.position != nil { positions += 1 } }
    #expect(world.isAlive && Double(positions) > (end - truth.start) / 120 * 0.9)
  }
}
