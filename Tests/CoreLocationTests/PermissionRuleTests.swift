import GodwitModel
import Testing

@testable import CoreLocation

private let a = Phone.manager

extension Phone {
  fileprivate var prompts: Int {
    times { if case .prompt = $0 { true } else { $0 == .promptToKeepAlways } }.count
  }
}

@Suite("Rule 9: permission")
struct PermissionRuleTests {
  /// A step of a sequence.
  enum Step: Sendable {
    case ask(always: Bool)
    case respond(PromptResponse)
    case decide(CLAuthorizationStatus)
  }

  @Test(
    "a prompt appears once for each step, and the response determines the status",
    arguments: [
      ([.ask(always: false), .ask(always: false)], .ios18, 1, .notDetermined),
      ([.ask(always: false), .respond(.deny), .ask(always: false), .ask(always: true)], .ios18, 1, .denied),
      ([.ask(always: false), .respond(.whileUsing), .ask(always: false)], .ios18, 1, .authorizedWhenInUse),
      (
        [.ask(always: false), .respond(.whileUsing), .ask(always: true), .respond(.whileUsing), .ask(always: true)], .ios18,
        2, .authorizedWhenInUse
      ),
      (
        [.ask(always: false), .respond(.whileUsing), .ask(always: true), .respond(.always)], .ios18, 2, .authorizedAlways
      ),
      ([.ask(always: true), .respond(.whileUsing)], .ios18, 1, .authorizedAlways),
      ([.ask(always: true), .respond(.whileUsing)], .ios12, 1, .authorizedWhenInUse),
      ([.ask(always: true), .respond(.once), .ask(always: true)], .ios18, 1, .authorizedWhenInUse),
      ([.decide(.restricted), .ask(always: false)], .ios18, 0, .restricted),
      // The settings were reset.
      ([.ask(always: false), .respond(.deny), .decide(.notDetermined), .ask(always: false)], .ios18, 2, .notDetermined),
    ] as [([Step], OSProfile, Int, CLAuthorizationStatus)])
  func steps(_ steps: [Step], _ profile: OSProfile, _ prompts: Int, _ status: CLAuthorizationStatus) {
    var phone = Phone(profile, .notDetermined)
    for step in steps {
      switch step {
      case .ask(let always): phone.send(.requestedAuthorization(a, always: always))
      case .respond(let response): phone.send(.promptAnswered(response))
      case .decide(let status): phone.send(.authorizationDecided(status))
      }
    }
    #expect(phone.prompts == prompts && phone.services.authorization == status)
  }

  @Test(
    "without the purpose strings the request is ignored",
    arguments: [(false, true, false, 0), (false, true, true, 0), (true, false, true, 0), (true, false, false, 1)])
  func undescribed(_ whenInUse: Bool, _ always: Bool, _ asksAlways: Bool, _ prompts: Int) {
    var declarations = AppDeclarations()
    (declarations.describesWhenInUse, declarations.describesAlways) = (whenInUse, always)
    var phone = Phone(.ios18, .notDetermined, declarations: declarations)
    phone.discard()
    phone.send(.requestedAuthorization(a, always: asksAlways))
    #expect(phone.prompts == prompts && phone.outputs.count == prompts)
  }

  @Test(
    "provisional always permission lasts until the system asks for confirmation, once",
    arguments: [(PromptResponse.always, CLAuthorizationStatus.authorizedAlways), (.whileUsing, .authorizedWhenInUse)])
  func provisional(_ response: PromptResponse, _ status: CLAuthorizationStatus) {
    var phone = Phone(.ios18, .notDetermined)
    phone.send(.requestedAuthorization(a, always: true))
    phone.send(.promptAnswered(.whileUsing))
    phone.send(.significantChanges(a, true))
    phone.send(.app(.background))
    phone.send(.app(.suspended))
    phone.discard()
    phone.at(100, 0)
    phone.at(1000, 5000)
    #expect(phone.deliveryTimes == [100, 1000])
    #expect(phone.times { $0 == .promptToKeepAlways } == [100])
    phone.send(.promptAnswered(response))
    #expect(phone.services.authorization == status)
    phone.send(.app(.suspended))
    phone.discard()
    phone.at(2000, 10_000)
    #expect(phone.deliveryTimes == (response == .always ? [2000] : []) && phone.prompts == 0)
  }

  @Test("permission for one use ends some time after the app left the foreground, and not while the app is in use")
  func once() {
    var phone = Phone(.ios18, .notDetermined)
    phone.send(.requestedAuthorization(a, always: false))
    phone.send(.promptAnswered(.once))
    phone.wait(until: 500)
    phone.send(.app(.background))
    phone.send(.app(.suspended))
    phone.wait(until: 520)
    phone.send(.app(.foreground))
    phone.wait(until: 1000)
    #expect(phone.services.authorization == .authorizedWhenInUse)
    phone.send(.app(.background))
    phone.discard()
    phone.wait(until: 2000)
    #expect(phone.times { $0 == .authorization(a, .notDetermined) } == [1060])
  }

  @Test("revoked permission ends updates, significant changes and regions", arguments: OSProfile.phones)
  func takenBack(_ profile: OSProfile) {
    var phone = Phone(profile)
    let other = phone.connect()
    phone.send(.startedUpdating(a))
    phone.send(.significantChanges(other, true))
    phone.send(.watch(a, Phone.circle()))
    phone.send(.authorizationDecided(.denied))
    for id in [a, other] {
      #expect(phone.has(.authorization(id, .denied)) && phone.has(.fail(id, CLError(.denied))))
    }
    #expect(phone.has(.watchFailed(a, Phone.circle(), CLError(.regionMonitoringDenied))))
    #expect(phone.has(.radio(nil)) && phone.services.regions.all.isEmpty)
    phone.discard()
    phone.go(for: 1000, from: 0, speed: 10)
    phone.send(.watch(a, Phone.circle()))
    #expect(phone.outputs.map(\.1) == [.watchFailed(a, Phone.circle(), CLError(.regionMonitoringDenied))])
  }
}

@Suite("Rule 9: reduced accuracy")
struct ReducedAccuracyTests {
  @Test("the app gets the centre of a cell of kilometres, four times an hour, and no other field")
  func cells() throws {
    var phone = Phone()
    phone.send(.precise(false))
    #expect(phone.services.accuracyAuthorization == .reducedAccuracy)
    phone.send(.pausingChanged(a, false))
    phone.send(.startedUpdating(a))
    for second in stride(from: 10.0, through: 3600, by: 10) {
      phone.wait(until: second)
      var fix = Phone.fix(second, 0)
      (fix.speed, fix.course, fix.altitude) = (0.1, 90, 300)
      phone.send(.positions([fix]))
    }
    #expect(phone.deliveryTimes == [10, 910, 1810, 2710])
    #expect(Set(phone.deliveries.map(\.coordinate)).count == 1)
    let cell = try #require(phone.deliveries.first)
    #expect(cell.speed == nil && cell.course == nil && cell.altitude == nil)
    let accuracy = try #require(cell.horizontalAccuracy)
    #expect((1000...20_000).contains(accuracy))
    #expect(GreatCircle.distance(cell.coordinate, Phone.fix(0, 0).coordinate) <= accuracy)
    #expect(phone.services.last == phone.deliveries.last)
    #expect(phone.has(.radio(kCLLocationAccuracyThreeKilometers)))
  }

  @Test("the last known position is reduced to a cell too, and a single request gets it at once")
  func cached() {
    var phone = Phone()
    phone.at(10, 0)
    phone.send(.precise(false))
    #expect(phone.services.last?.coordinate != Phone.fix(0, 0).coordinate)
    #expect(phone.times { $0 == .authorization(a, .authorizedAlways) } == [0, 10])
    phone.send(.requestedLocation(a))
    #expect(phone.deliveries == [phone.services.last].compactMap(\.self))
  }

  @Test("regions fail and report nothing; they return with full accuracy")
  func regions() {
    var phone = Phone(.linux)
    phone.send(.watch(a, Phone.circle()))
    phone.at(10, 0)
    phone.at(20, 5000)
    phone.send(.precise(false))
    phone.go(for: 100, from: 5000)
    phone.send(.watch(a, Phone.circle("work")))
    phone.send(.requestedState(a, Phone.circle()))
    #expect(phone.crossings.isEmpty && phone.has(.state(a, Phone.circle(), .unknown)))
    #expect(phone.has(.watchFailed(a, Phone.circle("work"), CLError(.regionMonitoringDenied))))
    phone.send(.precise(true))
    phone.go(for: 100, from: 5000)
    #expect(phone.crossings.count == 1)
  }

  @Test("significant changes and visits continue with reduced accuracy")
  func watching() {
    var phone = Phone()
    phone.send(.precise(false))
    phone.send(.significantChanges(a, true))
    phone.send(.visits(a, true))
    phone.go(for: 3600, from: 0)
    phone.go(for: 3600, from: 0, speed: 20)
    #expect(phone.deliveries.count >= 4 && phone.visits.count >= 2)
    let accuracies = phone.deliveries.map(\.horizontalAccuracy) + phone.visits.map(\.1.horizontalAccuracy)
    #expect(accuracies.allSatisfy { ($0 ?? 0) > 1000 })
  }

  @Test("a system without reduced accuracy ignores the switch")
  func unknown() {
    var phone = Phone(.ios12)
    phone.send(.precise(false))
    #expect(phone.services.accuracyAuthorization == .fullAccuracy)
  }

  @Test(
    "temporary full accuracy is requested once, for a declared purpose, in the foreground",
    arguments: [
      ("ride", true, false, nil, 1, false), ("ride", false, false, .promptDeclined, 1, false),
      ("other", true, false, .promptDeclined, 0, false), ("ride", true, true, .promptDeclined, 0, false),
      ("ride", true, false, nil, 0, true),
    ] as [(String, Bool, Bool, CLError.Code?, Int, Bool)])
  func temporary(
    _ purpose: String, _ agrees: Bool, _ isInBackground: Bool, _ error: CLError.Code?, _ prompts: Int, _ isPrecise: Bool
  ) {
    var declarations = AppDeclarations()
    declarations.fullAccuracyPurposes = ["ride"]
    var phone = Phone(declarations: declarations)
    phone.send(.precise(isPrecise))
    if isInBackground { phone.send(.app(.background)) }
    phone.send(.requestedFullAccuracy(a, purpose: purpose))
    phone.send(.fullAccuracyDecided(agrees))
    #expect(phone.times { $0 == .promptForFullAccuracy(purpose: purpose) }.count == prompts)
    #expect(phone.has(.fullAccuracyAnswered(a, error.map { CLError($0) })))
    #expect((phone.services.accuracyAuthorization == .fullAccuracy) == (error == nil))
    phone.send(.app(.background))
    phone.send(.app(.suspended))
    #expect((phone.services.accuracyAuthorization == .fullAccuracy) == isPrecise)
  }
}
