package import Foundation
internal import GodwitEngine
internal import GodwitModel
internal import GodwitSimulator

/// A log of a part of a life, line by line: the positions of the system, and the inputs and effects of the app.
package struct LifeLog: Sendable {
  private let from: Date
  private let until: Date
  private let fences: [(id: String, circle: Circle)]
  private let line: @Sendable (String) -> Void

  /// - Parameters:
  ///   - time: the middle of the period.
  ///   - seconds: the duration of the period before and after its middle.
  ///   - ids: the ids of geofences whose distance is logged with each position.
  ///   - city: the city of the geofences.
  ///   - line: receives each line.
  package init(
    around time: Date, seconds: Double = 1_200, fences ids: [String], in city: FenceCity,
    line: @escaping @Sendable (String) -> Void
  ) {
    (from, until) = (time.addingTimeInterval(-seconds), time.addingTimeInterval(seconds))
    fences = city.fences.compactMap { fence in
      guard ids.contains(fence.id), case .circle(let circle) = fence.shape else { return nil }
      return (fence.id, circle)
    }
    self.line = line
  }

  func log(_ what: @autoclosure () -> String, at time: Date) {
    guard from <= time, time <= until else { return }
    line("\(CityLife.text(time)) \(what())")
  }

  func position(_ fix: Fix, at time: Date) { log("the system: \(text(fix))", at: time) }

  func problems(_ problems: GeofenceFailures) {
    for row in problems.script.split(separator: "\n") {
      let words = row.split(separator: " ", maxSplits: 1)
      guard words.count == 2, let seconds = Double(words[0].dropFirst().dropLast()) else { continue }
      log("the phone: \(words[1])", at: (CityLife.midnight + seconds).date)
    }
  }

  func changes(_ input: RegionInput, _ effects: [RegionEffect], end: Int?, at time: Date) {
    if case .fix(let fix) = input { log("input: \(text(fix))", at: time) } else { log("input: \(input)", at: time) }
    for effect in effects {
      switch effect {
      case .report(let event):
        log("  \(event.kind.rawValue) \(event.region.id), at \(CityLife.text(event.time))", at: time)
      case .startMonitoring(let region): log("  start \(region.identifier)", at: time)
      case .stopMonitoring(let identifier): log("  stop \(identifier)", at: time)
      case .requestState(let identifier): log("  ask \(identifier)", at: time)
      case .setTimer(let due): log("  timer \(due.map(CityLife.text) ?? "off")", at: time)
      case .wantsFixes(let accuracy): log("  wants \(accuracy.map { "\($0)" } ?? "no") fixes", at: time)
      case .startRanging, .stopRanging, .insideChanged: break
      }
    }
    if let end { log("  crash after \(end) of \(effects.count)", at: time) }
  }

  /// Logs the periods in which the positions were near the geofences, and certainly inside of them.
  func evaluate(_ oracle: GeofenceOracle, _ all: [Region]) {
    for (number, fence) in all.enumerated() where fences.contains(where: { $0.id == fence.id }) {
      for (name, stretches) in [("near", oracle.near[number]), ("inside", oracle.inside[number])] {
        for stretch in stretches where stretch.from <= until && stretch.until >= from {
          line("\(fence.id) \(name) \(CityLife.text(stretch.from))…\(CityLife.text(stretch.until))")
        }
      }
    }
  }

  private func text(_ fix: Fix) -> String {
    let edges = fences.map { fence in
      "\(fence.id) \(Int(fence.circle.distanceToEdge(from: fix.coordinate).rounded())) m"
    }
    let accuracy = fix.horizontalAccuracy.map { "±\(Int($0)) m" } ?? "a place"
    return (["\(accuracy) of \(CityLife.text(fix.time))"] + edges).joined(separator: ", ")
  }
}
