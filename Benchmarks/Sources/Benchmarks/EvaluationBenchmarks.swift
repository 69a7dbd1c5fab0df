import Foundation
import GodwitGeofencing
import GodwitModel

/// The server's evaluation of 100,000 geofences: devices that walk, drive and rest in towns with many geofences, and the worst case,
/// in which every fix is far from the previous one. Times are processor times on one core.
enum EvaluationBenchmarks {
  private static let fenceCount = 100_000
  private static let towns = 200

  static func all() throws -> [Measurement] {
    var random = Linear(state: 11)
    let middles = (0..<towns).map { _ in
      // Valid: in Europe.
      Coordinate(latitude: 42 + random.next() * 12, longitude: random.next() * 25)!
    }
    let regions = try (0..<fenceCount).map { try region($0, near: middles[$0 % towns], &random) }
    let build = fastestOnProcessor(of: 3) { consume(GeofenceSet(regions).count) }
    let evaluator = RegionEvaluator(GeofenceSet(regions))
    let devices = (0..<1000).map { track(300, from: middles[$0 % towns], &random) }
    var events = 0
    let moving = fastestOnProcessor(of: 5) { events = run(evaluator, devices) }
    let jumping = devices.map { track in
      track.map { fix in
        var fix = fix
        fix.coordinate = place(near: middles[Int(random.next() * Double(towns))], &random)
        return fix
      }
    }
    var jumps = 0
    let worst = fastestOnProcessor(of: 5) { jumps = run(evaluator, jumping) }
    let some = devices.flatMap { $0.prefix(1) }.prefix(20)
    let linear = fastestOnProcessor(of: 1) {
      for fix in some { consume(regions.count { $0.shape.contains(fix.coordinate) }) }
    }
    let fixes = Double(devices.reduce(0) { $0 + $1.count })
    let everyFence = Double(some.count) / linear
    return [
      Measurement(
        name: "evaluation of fixes against \(fenceCount) fences, in process, without a store (\(events) events)",
        value: fixes / moving, unit: "fixes/s",
        goal: 200_000, comparedTo: "a look at every fence: \(Int(everyFence)) fixes/s", ratio: fixes / moving / everyFence),
      Measurement(
        name: "the same, every fix in another town (\(jumps) events)", value: fixes / worst, unit: "fixes/s",
        comparedTo: "a look at every fence: \(Int(everyFence)) fixes/s", ratio: fixes / worst / everyFence),
      Measurement(name: "set of \(fenceCount) fences, made", value: build, unit: "s", goal: 0.5, lowerIsBetter: true),
    ]
  }

  /// Evaluates uploads of 50 fixes of the devices in turn. Returns the number of events.
  private static func run(_ evaluator: RegionEvaluator, _ devices: [[Fix]]) -> Int {
    var presences = [RegionPresence](repeating: RegionPresence(), count: devices.count)
    var count = 0
    var events: [RegionEvent] = []
    for upload in 0..<6 {
      for device in devices.indices {
        events.removeAll(keepingCapacity: true)
        for fix in devices[device][upload * 50..<upload * 50 + 50] {
          evaluator.evaluate(at: fix, &presences[device], into: &events)
        }
        count += events.count
      }
    }
    return count
  }

  private static func place(near middle: Coordinate, _ random: inout Linear) -> Coordinate {
    GreatCircle.destination(from: middle, course: random.next() * 360, distance: random.next() * 10_000)
  }

  /// A circle of 50 m to 500 m. One region in five is a polygon with eight corners, and one in ten has a dwell time.
  private static func region(_ number: Int, near middle: Coordinate, _ random: inout Linear) throws -> Region {
    let center = place(near: middle, &random)
    let radius = 50 * pow(10, random.next())
    var region = Region(id: "fence-\(number)", shape: .circle(Circle(center: center, radius: radius)))
    if number.isMultiple(of: 5) {
      let corners = (0..<8).map {
        GreatCircle.destination(from: center, course: Double($0) * 45, distance: radius * (0.6 + random.next() * 0.4))
      }
      // Valid: the list has one polygon.
      region.shape = .polygons(MultiPolygon([try Polygon(outer: corners)])!)
    }
    if number.isMultiple(of: 10) { region.dwell = 60 }
    return region
  }

  /// One fix per second: a walk, a ride, a drive or a rest of one minute each.
  private static func track(_ count: Int, from middle: Coordinate, _ random: inout Linear) -> [Fix] {
    var here = place(near: middle, &random)
    var (course, speed) = (random.next() * 360, 0.0)
    return (0..<count).map { second in
      if second.isMultiple(of: 60) { speed = [0, 1.4, 5, 14][Int(random.next() * 4)] }
      course += (random.next() - 0.5) * 20
      here = GreatCircle.destination(from: here, course: course, distance: speed)
      let noisy = GreatCircle.destination(from: here, course: random.next() * 360, distance: random.next() * 3)
      return Fix(time: Date(timeIntervalSince1970: 1_700_000_000 + Double(second)), coordinate: noisy, horizontalAccuracy: 5)
    }
  }
}
