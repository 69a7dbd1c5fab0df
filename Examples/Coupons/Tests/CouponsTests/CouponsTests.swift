import CoreLocation
import Coupons
import Foundation
import GodwitModel
import GodwitTesting
import Testing

/// Two shops: the bakery at the end of a walk of 20 minutes to the north, and the bookshop on the route to it.
private let shops = [shop("bakery", north: 1_620, code: "ROLL"), shop("bookshop", north: 800, code: "READ")]

private func shop(_ id: String, north metres: Double, code: String) -> Region {
  let place = Coordinate(latitude: Route.home.latitude + metres / 111_150, longitude: Route.home.longitude)
  return Region(
    id: id, name: id.capitalized, shape: .circle(Circle(center: place ?? Route.home, radius: 150)), tags: ["offers"],
    extras: #"{"offer": {"text": "10 % today", "code": "\#(code)"}}"#)
}

/// The storage of the phone, which survives the end of the app, and the screens that the app showed.
@MainActor
private final class Disk {
  var state = CouponModel.State()
  var screens: [PermissionStep.Screen] = []
}

@MainActor
@Suite("Coupons on a simulated phone")
struct CouponsTests {
  private let disk = Disk()
  private let shown = EventRecorder()

  /// - Parameter tap: the user's action when the user opens the app; it is not called for launches in the background.
  private func app(_ tap: @escaping @MainActor (CouponModel) -> Void) -> PhoneApp {
    .onMainActor { [disk, shown] launch in
      let regions = try RegionManager(path: launch.journalPath("regions"), environment: launch.environment)
      try regions.replaceRegions(shops)
      let model = CouponModel(
        regions: regions, state: disk.state, now: launch.environment.now, save: { disk.state = $0 },
        show: { shown.record("\($0.shop): \($0.code)") })
      if launch.reason == .opened { tap(model) }
      disk.screens.append(model.screen)
      return model
    }
  }

  private func scenario(_ lines: String) throws -> Scenario {
    try Scenario(
      text: """
        title   A walk to the bakery and back
        closes  10s
        08:00   home
        stay    10m
        walk    20m north
        stay    30m
        walk    20m south
        stay    30m
        \(lines)
        """)
  }

  @Test(
    "each shop on the route shows its offer once, also after the system ended the app",
    arguments: [SystemVersion.ios16, .ios18, .ios26], ["", "08:05   kill"])
  func offers(system: SystemVersion, fault: String) throws {
    let outcome = try scenario(fault).run(on: system, app: app { $0.agree() }, eventRecorder: shown)
    #expect(shown.lines.sorted() == ["Bakery: ROLL", "Bookshop: READ"], "\(outcome)")
  }

  @Test("without the user's consent the app does not request the system's permission and shows nothing")
  func postponed() throws {
    _ = try scenario("").run(on: .ios18, app: app { $0.postpone() }, eventRecorder: shown)
    #expect(shown.lines.isEmpty)
    #expect(disk.screens == [.nothing])
  }

  @Test("after a refusal the app links to the settings at its next launch", arguments: [SystemVersion.ios16, .ios18])
  func denied(system: SystemVersion) throws {
    _ = try scenario("answer  deny\n08:20   kill\n08:30   open").run(on: system, app: app { $0.agree() }, eventRecorder: shown)
    #expect(shown.lines.isEmpty)
    #expect(disk.screens.last == .settings, "\(disk.screens)")
  }
}

@Suite("The rules of the coupons")
struct CouponRulesTests {
  private let noon = Date(timeIntervalSince1970: 1_795_000_000)

  @Test("the explanation is shown again a week after \"Not now\"")
  func pause() {
    var step = PermissionStep()
    #expect(step.screen(for: .notDetermined, at: noon) == .explanation)
    step.postpone(at: noon)
    #expect(step.screen(for: .notDetermined, at: noon.addingTimeInterval(PermissionStep.pause - 1)) == .nothing)
    #expect(step.screen(for: .notDetermined, at: noon.addingTimeInterval(PermissionStep.pause)) == .explanation)
    #expect(step.screen(for: .authorizedAlways, at: noon) == .nothing)
    #expect(step.screen(for: .denied, at: noon) == .settings)
  }

  @Test("a shop shows one offer a day, a day has at most three offers, and the counts start again the next day")
  func history() {
    var history = OfferHistory()
    let street = Set((1...5).map { shop("shop \($0)", north: 0, code: "\($0)") })
    #expect(history.offers(entering: street, at: noon).map(\.code) == ["1", "2", "3"])
    #expect(history.offers(entering: street, at: noon.addingTimeInterval(3_600)).isEmpty)
    #expect(history.offers(entering: street, at: noon.addingTimeInterval(OfferHistory.period)).count == 3)
    // The clock was set back by a year.
    #expect(history.offers(entering: street, at: noon.addingTimeInterval(-365 * 86_400)).isEmpty)
  }

  @Test(
    "a region without a complete offer shows nothing",
    arguments: [nil, "", "[]", "{}", #"{"offer": {}}"#, #"{"offer": {"text": "10 %"}}"#])
  func incomplete(extras: String?) {
    var region = shop("shop", north: 0, code: "1")
    region.extras = extras
    #expect(Offer(of: region) == nil)
  }
}
