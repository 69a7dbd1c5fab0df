import Foundation
import GodwitModel
import Testing

@testable import CoreLocation

extension ManualHost {
  /// Runs code of the app, and makes all calls that result from it.
  func run<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    let result = try await daemon.serve(body)
    settle()
    return result
  }

  func monitor(_ name: String = "Work") async -> CLMonitor { await run { await CLMonitor(name) } }

  /// Sends positions at a distance for twenty seconds, which is long enough for a crossing.
  func cross(at seconds: Double, to north: Double) {
    for time in stride(from: seconds, through: seconds + 20, by: 10) { at(time, north) }
  }
}

private let circle = CLMonitor.CircularGeographicCondition(center: Script.origin, radius: 200)

@Suite("Monitors over the life of an app")
struct MonitorLifeTests {
  @Test("a monitor and the managers have separate identifiers", .timeLimit(.minutes(20)))
  func names() async throws {
    let host = ManualHost()
    let calls = Calls()
    let manager = host.manager(calls)
    manager.startMonitoring(for: CLCircularRegion(center: Script.origin, radius: 500, identifier: "home"))
    let (work, other) = (await host.monitor(), await host.monitor("Other"))
    await host.run { await work.add(circle, identifier: "home") }
    host.at(10, 0)
    host.cross(at: 20, to: 400)
    #expect(calls.log == ["watching home"])
    #expect(manager.monitoredRegions.count == 1)
    var events = await work.events.makeAsyncIterator()
    #expect(try await events.next()?.state == .satisfied)
    #expect(try await events.next()?.state == .unsatisfied)
    #expect(await other.identifiers.isEmpty)
    await host.run { await work.remove("home") }
    #expect(manager.monitoredRegions.count == 1)
  }

  @Test("a late response to the permission prompt reports no condition as unmonitored", .timeLimit(.minutes(20)))
  func lateResponse() async throws {
    let host = ManualHost(ManualHost.prompt, .notDetermined)
    // No call into the app is made before the condition is added, as with a late queue on a busy machine.
    let work = await host.daemon.serve { await CLMonitor("Work") }
    host.daemon.notify(.authorizationDecided(.authorizedWhenInUse))
    await host.daemon.serve { await work.add(circle, identifier: "office") }
    host.settle()
    host.at(10, 0)
    var events = await work.events.makeAsyncIterator()
    #expect(try await events.next()?.state == .satisfied)
  }

  @Test("conditions and their last events survive the end of the app, which is launched for a change", .timeLimit(.minutes(20)))
  func relaunch() async throws {
    let host = ManualHost()
    var work: CLMonitor? = await host.monitor()
    await host.run { await work?.add(circle, identifier: "office") }
    host.at(10, 0)
    var first = try #require(await work?.events).makeAsyncIterator()
    #expect(try await first.next()?.state == .satisfied)
    // The request for the next event acknowledges this one.
    host.cross(at: 20, to: 1000)
    #expect(try await first.next()?.state == .unsatisfied)
    host.cross(at: 100, to: 0)
    host.kill()
    host.whileTerminated { work = nil }
    host.cross(at: 200, to: 1000)
    #expect(host.launches == [.region])
    let next = await host.monitor()
    let record = try #require(await next.record(for: "office"))
    #expect((record.condition as? CLMonitor.CircularGeographicCondition)?.radius == 200)
    var events = await next.events.makeAsyncIterator()
    #expect(try await events.next()?.state == .unsatisfied)
    host.cross(at: 300, to: 0)
    #expect(try await events.next()?.state == .satisfied)
    #expect(await next.record(for: "office")?.lastEvent.state == .unsatisfied)
  }

  @Test("a condition that changed while its monitor was not created is no longer monitored", .timeLimit(.minutes(20)))
  func lapse() async throws {
    let host = ManualHost()
    var work: CLMonitor? = await host.monitor()
    await host.run { await work?.add(circle, identifier: "office") }
    host.at(10, 0)
    host.kill()
    host.whileTerminated { work = nil }
    host.cross(at: 20, to: 1000)
    #expect(host.launches == [.region])
    // A launch with a manager, a session, and no monitor.
    let calls = Calls()
    let manager = host.manager(calls)
    let session = await host.run { CLServiceSession(authorization: .always) }
    host.wait(until: 200)
    #expect(host.outputs.contains(.mayBeSuspended) && calls.log.isEmpty)
    host.kill()
    host.cross(at: 300, to: 0)
    #expect(host.launches == [.region], "no condition is monitored")
    host.send(.app(.foreground))
    let next = await host.monitor()
    var events = await next.events.makeAsyncIterator()
    #expect(try await events.next()?.state == .unmonitored)
    await host.run { await next.add(circle, identifier: "office") }
    host.at(400, 0)
    #expect(try await events.next()?.state == .satisfied, "a condition that is added again is monitored again")
    withExtendedLifetime((manager, session)) {}
  }

  @Test("a beacon condition reports which beacon was found", .timeLimit(.minutes(20)))
  func beacon() async throws {
    let host = ManualHost()
    let uuid = UUID()
    let work = await host.monitor()
    await host.run { await work.add(CLMonitor.BeaconIdentityCondition(uuid: uuid), identifier: "bike") }
    host.send(.sightings([.init(uuid: uuid, major: 7, minor: 3, rssi: -60, powerAtOneMeter: -59)]))
    host.wait(until: 100)
    var events = await work.events.makeAsyncIterator()
    let near = try #require(try await events.next())
    let received = near.refinement as? CLMonitor.BeaconIdentityCondition
    #expect(near.state == .satisfied && received?.major == 7 && received?.minor == 3)
    let gone = try #require(try await events.next())
    #expect(gone.state == .unsatisfied && gone.refinement == nil)
  }
}

@Suite("Live updates over the life of an app")
struct LiveUpdateLifeTests {
  private typealias Updates = CLLocationUpdate.Updates.AsyncIterator

  /// Returns the updates so far, in order, until the position at `seconds`.
  private func reported(_ updates: inout Updates, until seconds: Double) async throws -> [String] {
    var log: [String] = []
    while let update = try await updates.next() {
      if update.serviceSessionRequired { log.append("no session") }
      if update.insufficientlyInUse { log.append("not in use") }
      if update.authorizationDeniedGlobally { log.append("off") }
      if update.stationary { log.append("still") } else if update.location != nil { log.append("place") }
      if let time = update.location?.timestamp, time >= Phone.start.addingTimeInterval(seconds) { break }
    }
    return log
  }

  @Test(
    "live updates continue in the background if a session keeps the app in use", .timeLimit(.minutes(20)),
    arguments: [CLAuthorizationStatus.authorizedWhenInUse, .authorizedAlways], [true, false])
  func background(_ status: CLAuthorizationStatus, hasSession: Bool) async throws {
    let host = ManualHost(.ios18, status)
    let session = hasSession ? await host.run { CLBackgroundActivitySession() } : nil
    var updates = await host.run { CLLocationUpdate.liveUpdates().makeAsyncIterator() }
    host.at(10, 0)
    host.send(.app(.background))
    for time in stride(from: 20.0, through: 60, by: 10) { host.at(time, time * 10) }
    #expect(host.daemon.mayBeSuspended == !hasSession)
    host.send(.app(.foreground))
    host.at(100, 5000)
    var expected = Array(repeating: "place", count: hasSession ? 7 : 2)
    if !hasSession, status == .authorizedWhenInUse { expected.insert("not in use", at: 1) }
    let log = try await reported(&updates, until: 100)
    // The end of a cause is reported as an update without values.
    #expect(log == expected)
    session?.invalidate()
  }

  @Test(
    "an app that ends during its session is launched again, unless the user force-quit it",
    .timeLimit(.minutes(20)), arguments: [(true, false, 1), (false, false, 0), (true, true, 0)])
  func relaunch(hasSession: Bool, isForceQuit: Bool, _ launches: Int) async {
    let host = ManualHost()
    let session = hasSession ? await host.run { CLBackgroundActivitySession() } : nil
    let updates = await host.run { CLLocationUpdate.liveUpdates().makeAsyncIterator() }
    host.send(.app(.background))
    host.at(10, 0)
    host.send(isForceQuit ? .swipedAway : .app(.terminated))
    host.wait(until: 100)
    #expect(host.launches == Array(repeating: .liveUpdates, count: launches))
    // The session was not created again, so the app is no longer in use.
    if launches > 0 { #expect(host.daemon.mayBeSuspended) }
    withExtendedLifetime((session, updates)) {}
  }

  @Test(
    "without the required session no update arrives, on systems with such sessions", .timeLimit(.minutes(20)),
    arguments: [(OSProfile.ios17, true, false), (.ios18, true, true), (.ios26, true, true), (.ios18, false, false)])
  func sessionRequirement(_ profile: OSProfile, requires: Bool, isBlocked: Bool) async throws {
    var declarations = AppDeclarations()
    declarations.requiresServiceSession = requires
    let host = ManualHost(profile, .authorizedWhenInUse, declarations: declarations)
    var updates = await host.run { CLLocationUpdate.liveUpdates().makeAsyncIterator() }
    let background = await host.run { CLBackgroundActivitySession() }
    var diagnostics = background.diagnostics.makeAsyncIterator()
    host.at(10, 0)
    host.at(20, 0)
    #expect(try await diagnostics.next()?.serviceSessionRequired == isBlocked)
    let session = await host.run { CLServiceSession(authorization: .whenInUse) }
    host.at(30, 0)
    let log = try await reported(&updates, until: 30)
    #expect(log == (isBlocked ? ["no session", "place"] : ["place", "place", "place"]))
    session.invalidate()
    background.invalidate()
  }

  @Test("the stationary state is reported, reduces the requested accuracy, and ends with motion", .timeLimit(.minutes(20)))
  func still() async throws {
    let host = ManualHost()
    var updates = await host.run { CLLocationUpdate.liveUpdates().makeAsyncIterator() }
    for time in stride(from: 10.0, through: 700, by: 10) { host.at(time, 0) }
    #expect(host.daemon.demand.updates == kCLLocationAccuracyThreeKilometers)
    // A position with an accuracy of a kilometre does not show a move of 300 m.
    host.at(710, 300, accuracy: 1000)
    #expect(host.daemon.demand.updates == kCLLocationAccuracyThreeKilometers)
    host.at(720, 300, accuracy: 30)
    #expect(host.daemon.demand.updates == kCLLocationAccuracyBest)
    host.at(730, 400)
    #expect(try await reported(&updates, until: 730) == Array(repeating: "place", count: 61) + ["still", "place", "place"])
  }

  @Test("a session for full accuracy reports that accuracy stays reduced", .timeLimit(.minutes(20)), arguments: [true, false])
  func exact(agrees: Bool) async throws {
    var declarations = AppDeclarations()
    declarations.fullAccuracyPurposes = ["ride"]
    let host = ManualHost(.ios18, declarations: declarations)
    host.send(.precise(false))
    let session = await host.run { CLServiceSession(authorization: .always, fullAccuracyPurposeKey: "ride") }
    host.send(.fullAccuracyDecided(agrees))
    var diagnostics = session.diagnostics.makeAsyncIterator()
    #expect(try await diagnostics.next()?.fullAccuracyDenied == !agrees)
    session.invalidate()
  }
}
