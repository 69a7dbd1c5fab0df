import Foundation
import GodwitModel
import Testing

@testable import CoreLocation

extension HandDriven {
  /// Runs code of the program, and makes the calls that come of it.
  func run<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    let result = try await daemon.serve(body)
    settle()
    return result
  }

  func monitor(_ name: String = "Work") async -> CLMonitor { await run { await CLMonitor(name) } }

  /// Passes the boundary of a circle around the origin, and stays there for as long as makes a crossing.
  func cross(at seconds: Double, to north: Double) {
    for time in stride(from: seconds, through: seconds + 20, by: 10) { at(time, north) }
  }
}

private let circle = CLMonitor.CircularGeographicCondition(center: Script.origin, radius: 200)

@Suite("Monitors over the life of an app")
struct MonitorLifeTests {
  @Test("a monitor and the managers have identifiers of their own", .timeLimit(.minutes(20)))
  func names() async throws {
    let hand = HandDriven()
    let calls = Calls()
    let manager = hand.manager(calls)
    manager.startMonitoring(for: CLCircularRegion(center: Script.origin, radius: 500, identifier: "home"))
    let (work, other) = (await hand.monitor(), await hand.monitor("Other"))
    await hand.run { await work.add(circle, identifier: "home") }
    hand.at(10, 0)
    hand.cross(at: 20, to: 400)
    #expect(calls.log == ["watching home"])
    #expect(manager.monitoredRegions.count == 1)
    var events = await work.events.makeAsyncIterator()
    #expect(try await events.next()?.state == .satisfied)
    #expect(try await events.next()?.state == .unsatisfied)
    #expect(await other.identifiers.isEmpty)
    await hand.run { await work.remove("home") }
    #expect(manager.monitoredRegions.count == 1)
  }

  @Test("a late answer to the permission request reports no condition as unmonitored", .timeLimit(.minutes(20)))
  func lateAnswer() async throws {
    let hand = HandDriven(HandDriven.prompt, .notDetermined)
    // No call into the program is made before the condition is added: a queue of a busy machine is as late.
    let work = await hand.daemon.serve { await CLMonitor("Work") }
    hand.daemon.tell(.authorizationDecided(.authorizedWhenInUse))
    await hand.daemon.serve { await work.add(circle, identifier: "office") }
    hand.settle()
    hand.at(10, 0)
    var events = await work.events.makeAsyncIterator()
    #expect(try await events.next()?.state == .satisfied)
  }

  @Test("conditions and their last events outlive the app, which is launched for what becomes of them", .timeLimit(.minutes(20)))
  func relaunch() async throws {
    let hand = HandDriven()
    var work: CLMonitor? = await hand.monitor()
    await hand.run { await work?.add(circle, identifier: "office") }
    hand.at(10, 0)
    var first = try #require(await work?.events).makeAsyncIterator()
    #expect(try await first.next()?.state == .satisfied)
    // Asking for the next event is what says that this one has been handled.
    hand.cross(at: 20, to: 1000)
    #expect(try await first.next()?.state == .unsatisfied)
    hand.cross(at: 100, to: 0)
    hand.kill()
    hand.afterItsEnd { work = nil }
    hand.cross(at: 200, to: 1000)
    #expect(hand.launches == [.region])
    let next = await hand.monitor()
    let record = try #require(await next.record(for: "office"))
    #expect((record.condition as? CLMonitor.CircularGeographicCondition)?.radius == 200)
    var events = await next.events.makeAsyncIterator()
    #expect(try await events.next()?.state == .unsatisfied)
    hand.cross(at: 300, to: 0)
    #expect(try await events.next()?.state == .satisfied)
    #expect(await next.record(for: "office")?.lastEvent.state == .unsatisfied)
  }

  @Test("a condition of which something became, and whose monitor was not made, is watched no more", .timeLimit(.minutes(20)))
  func lapse() async throws {
    let hand = HandDriven()
    var work: CLMonitor? = await hand.monitor()
    await hand.run { await work?.add(circle, identifier: "office") }
    hand.at(10, 0)
    hand.kill()
    hand.afterItsEnd { work = nil }
    hand.cross(at: 20, to: 1000)
    #expect(hand.launches == [.region])
    // A launch with a manager, a session, and no monitor.
    let calls = Calls()
    let manager = hand.manager(calls)
    let session = await hand.run { CLServiceSession(authorization: .always) }
    hand.wait(until: 200)
    #expect(hand.outputs.contains(.mayBeSuspended) && calls.log.isEmpty)
    hand.kill()
    hand.cross(at: 300, to: 0)
    #expect(hand.launches == [.region], "nothing is watched")
    hand.tell(.app(.foreground))
    let next = await hand.monitor()
    var events = await next.events.makeAsyncIterator()
    #expect(try await events.next()?.state == .unmonitored)
    await hand.run { await next.add(circle, identifier: "office") }
    hand.at(400, 0)
    #expect(try await events.next()?.state == .satisfied, "added again, it is watched again")
    withExtendedLifetime((manager, session)) {}
  }

  @Test("a beacon's condition says which one was heard", .timeLimit(.minutes(20)))
  func beacon() async throws {
    let hand = HandDriven()
    let uuid = UUID()
    let work = await hand.monitor()
    await hand.run { await work.add(CLMonitor.BeaconIdentityCondition(uuid: uuid), identifier: "bike") }
    hand.tell(.sightings([.init(uuid: uuid, major: 7, minor: 3, rssi: -60, powerAtOneMeter: -59)]))
    hand.wait(until: 100)
    var events = await work.events.makeAsyncIterator()
    let near = try #require(try await events.next())
    let heard = near.refinement as? CLMonitor.BeaconIdentityCondition
    #expect(near.state == .satisfied && heard?.major == 7 && heard?.minor == 3)
    let gone = try #require(try await events.next())
    #expect(gone.state == .unsatisfied && gone.refinement == nil)
  }
}

@Suite("Live updates over the life of an app")
struct LiveUpdateLifeTests {
  private typealias Updates = CLLocationUpdate.Updates.AsyncIterator

  /// What has been reported so far, in order, until the place with this number of seconds.
  private func told(_ updates: inout Updates, until seconds: Double) async throws -> [String] {
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
    "in the background they go on where a session keeps the app in use", .timeLimit(.minutes(20)),
    arguments: [CLAuthorizationStatus.authorizedWhenInUse, .authorizedAlways], [true, false])
  func background(_ status: CLAuthorizationStatus, hasSession: Bool) async throws {
    let hand = HandDriven(.ios18, status)
    let session = hasSession ? await hand.run { CLBackgroundActivitySession() } : nil
    var updates = await hand.run { CLLocationUpdate.liveUpdates().makeAsyncIterator() }
    hand.at(10, 0)
    hand.tell(.app(.background))
    for time in stride(from: 20.0, through: 60, by: 10) { hand.at(time, time * 10) }
    #expect(hand.daemon.mayBeSuspended == !hasSession)
    hand.tell(.app(.foreground))
    hand.at(100, 5000)
    var expected = Array(repeating: "place", count: hasSession ? 7 : 2)
    if !hasSession, status == .authorizedWhenInUse { expected.insert("not in use", at: 1) }
    let log = try await told(&updates, until: 100)
    // What stands in the way no more is reported as well, with nothing.
    #expect(log == expected)
    session?.invalidate()
  }

  @Test(
    "an app that ends while a session keeps it in use is launched again, unless the person threw it out",
    .timeLimit(.minutes(20)), arguments: [(true, false, 1), (false, false, 0), (true, true, 0)])
  func relaunch(hasSession: Bool, isThrownOut: Bool, _ launches: Int) async {
    let hand = HandDriven()
    let session = hasSession ? await hand.run { CLBackgroundActivitySession() } : nil
    let updates = await hand.run { CLLocationUpdate.liveUpdates().makeAsyncIterator() }
    hand.tell(.app(.background))
    hand.at(10, 0)
    hand.tell(isThrownOut ? .swipedAway : .app(.terminated))
    hand.wait(until: 100)
    #expect(hand.launches == Array(repeating: .liveUpdates, count: launches))
    // The session was not made again: it is not in use any more.
    if launches > 0 { #expect(hand.daemon.mayBeSuspended) }
    withExtendedLifetime((session, updates)) {}
  }

  @Test(
    "without the session that an app promised nothing comes, where the system has such sessions", .timeLimit(.minutes(20)),
    arguments: [(OSProfile.ios17, true, false), (.ios18, true, true), (.ios26, true, true), (.ios18, false, false)])
  func promised(_ profile: OSProfile, promises: Bool, isHeldUp: Bool) async throws {
    var declarations = AppDeclarations()
    declarations.requiresServiceSession = promises
    let hand = HandDriven(profile, .authorizedWhenInUse, declarations: declarations)
    var updates = await hand.run { CLLocationUpdate.liveUpdates().makeAsyncIterator() }
    let background = await hand.run { CLBackgroundActivitySession() }
    var diagnostics = background.diagnostics.makeAsyncIterator()
    hand.at(10, 0)
    hand.at(20, 0)
    #expect(try await diagnostics.next()?.serviceSessionRequired == isHeldUp)
    let session = await hand.run { CLServiceSession(authorization: .whenInUse) }
    hand.at(30, 0)
    let log = try await told(&updates, until: 30)
    #expect(log == (isHeldUp ? ["no session", "place"] : ["place", "place", "place"]))
    session.invalidate()
    background.invalidate()
  }

  @Test("standing still is told, needs no exact place, and ends by itself", .timeLimit(.minutes(20)))
  func still() async throws {
    let hand = HandDriven()
    var updates = await hand.run { CLLocationUpdate.liveUpdates().makeAsyncIterator() }
    for time in stride(from: 10.0, through: 700, by: 10) { hand.at(time, 0) }
    #expect(hand.daemon.demand.updates == kCLLocationAccuracyThreeKilometers)
    // A position that is known to a kilometre proves no move of less.
    hand.at(710, 300, accuracy: 1000)
    #expect(hand.daemon.demand.updates == kCLLocationAccuracyThreeKilometers)
    hand.at(720, 300, accuracy: 30)
    #expect(hand.daemon.demand.updates == kCLLocationAccuracyBest)
    hand.at(730, 400)
    #expect(try await told(&updates, until: 730) == Array(repeating: "place", count: 61) + ["still", "place", "place"])
  }

  @Test("a session that asks for exact places says when they stay rough", .timeLimit(.minutes(20)), arguments: [true, false])
  func exact(agrees: Bool) async throws {
    var declarations = AppDeclarations()
    declarations.fullAccuracyPurposes = ["ride"]
    let hand = HandDriven(.ios18, declarations: declarations)
    hand.tell(.precise(false))
    let session = await hand.run { CLServiceSession(authorization: .always, fullAccuracyPurposeKey: "ride") }
    hand.tell(.fullAccuracyDecided(agrees))
    var diagnostics = session.diagnostics.makeAsyncIterator()
    #expect(try await diagnostics.next()?.fullAccuracyDenied == !agrees)
    session.invalidate()
  }
}
