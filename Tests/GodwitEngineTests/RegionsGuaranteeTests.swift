import Foundation
import GodwitEngine
import GodwitModel
import TestTexts
import Testing

/// The guarantee of the selection, checked with random geofences and walks.
@Suite("Regions: no geofence is entered unmonitored")
struct RegionsGuaranteeTests {
  /// The centre and the extent of a set of geofences, and their number.
  struct Place: Sendable, CustomTestStringConvertible {
    var name: String
    var center: Coordinate
    var spread: Meters
    var count: Int
    var testDescription: String { name }

    init(_ name: String, _ latitude: Degrees, _ longitude: Degrees, _ spread: Meters, _ count: Int) {
      (self.name, self.spread, self.count) = (name, spread, count)
      // Valid: the coordinates are those of the table below.
      center = Coordinate(latitude: latitude, longitude: longitude)!
    }
  }

  static let places = [
    Place("a city", 46.05, 14.5, 8000, 120), Place("a village", 46.05, 14.5, 3000, 25),
    Place("a country", 46.05, 14.5, 200_000, 120), Place("the antimeridian", -17, 179.99, 8000, 100),
    Place("the north pole", 89.99, 40, 8000, 100), Place("the south pole", -90, 0, 8000, 100),
    Place("the whole earth", 10, 10, 18_000_000, 150),
  ]

  @Test(
    """
    a device that receives only crossings enters or exits no geofence without a slot before it leaves the horizon; at most twenty \
    slots are used
    """, arguments: places, 1...3)
  func walk(_ place: Place, _ seed: UInt64) {
    var random = SeededNumbers(seed &* 77 &+ UInt64(place.count))
    let step = max(10, place.spread / 2000)
    let smallest = max(100, place.spread / 400)
    let catalogue = RegionCatalogue(
      Regions.random(place.count, round: place.center, spread: place.spread, radii: smallest...smallest * 30, &random))
    var limits = RegionLimits()
    (limits.margin, limits.largestRadius) = (step * 2, 30_000_000)
    var truth = place.center
    var course = Double.random(in: 0..<360, using: &random)
    var (plans, safe) = (0, 0)
    for _ in 0..<20 {
      let accuracy = Double.random(in: 0...step * 4, using: &random)
      let fix = GreatCircle.destination(
        from: truth, course: .random(in: 0..<360, using: &random), distance: .random(in: 0...1, using: &random) * accuracy)
      var selection = RegionSelection(place: fix, accuracy: accuracy, limits: limits)
      selection.unmanaged = .random(in: 0...15, using: &random)
      let plan = selection.plan(in: catalogue)
      plans += 1
      #expect(plan.monitored.count + limits.reserved + selection.unmanaged <= 20)
      let free = catalogue.regions.filter { !plan.geofences.contains($0.id) }
      let before = free.map { contains($0, truth) }
      // A plan that needs fixes has no guarantee.
      let isSafe = plan.needs == nil
      if isSafe { safe += 1 }
      for _ in 0..<250 {
        if let horizon = plan.horizon, !horizon.contains(truth) { break }
        if isSafe {
          let isSame = zip(free, before).allSatisfy { contains($0, truth) == $1 }
          if !isSame { return #expect(isSame, "\(plan.summary)") }
        }
        course += .random(in: -20...20, using: &random)
        truth = GreatCircle.destination(from: truth, course: course, distance: .random(in: 0...step, using: &random))
      }
      // Return to the centre when the device is beyond all geofences.
      if GreatCircle.distance(truth, place.center) > place.spread { truth = place.center }
    }
    // Enough plans had the guarantee.
    #expect(safe * 4 > plans, "\(safe) of \(plans)")
  }

  private func contains(_ region: Region, _ place: Coordinate) -> Bool {
    if case .circle(let circle) = region.shape { circle.contains(place) } else { false }
  }

  @Test("applying the difference of two plans gives the second one, and does not touch common regions", arguments: 1...20)
  func difference(_ seed: UInt64) {
    var random = SeededNumbers(seed)
    var regions = Regions.random(120, round: Regions.start, spread: 6000, radii: 100...1500, &random)
    var monitored: [String: MonitoredRegion] = [:]
    for _ in 0..<20 {
      let place = Regions.place(.random(in: -5000...5000, using: &random), .random(in: -5000...5000, using: &random))
      if Bool.random(using: &random) {
        regions[.random(in: regions.indices, using: &random)].shape = .circle(Circle(center: place, radius: 300))
      }
      let plan = RegionSelection(place: place, accuracy: 10).plan(in: RegionCatalogue(regions.shuffled(using: &random)))
      let (stop, start) = plan.difference(from: monitored)
      for identifier in stop { #expect(monitored.removeValue(forKey: identifier) != nil) }
      for region in start {
        #expect(monitored[region.identifier] != region)
        monitored[region.identifier] = region
      }
      #expect(monitored == Dictionary(uniqueKeysWithValues: plan.monitored.map { ($0.identifier, $0) }))
      #expect(plan.difference(from: monitored).start.isEmpty && plan.difference(from: monitored).stop.isEmpty)
      // The plan does not depend on the order of the regions.
      #expect(RegionSelection(place: place, accuracy: 10).plan(in: RegionCatalogue(regions.reversed())) == plan)
    }
  }
}
