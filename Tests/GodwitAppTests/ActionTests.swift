import Foundation
import Godwit
import GodwitModel
import GodwitSimulator
import GodwitTracks
import Synchronization
import Testing

@testable import GodwitApp
@testable import GodwitPhone

@Suite("App intents, widget, watch, privacy")
@MainActor
struct ActionTests {
  private func opened(changes: @escaping @MainActor (inout AppServices) -> Void = { _ in }) throws -> AppPhone {
    let app = try AppPhone(changes: changes)
    app.finishOnboarding()
    app.pair()
    return app
  }

  @Test("each action reports its effect, or why it had none")
  func spoken() throws {
    let app = try opened()
    let actions = app.model.actions
    #expect(actions.stopTracking() == "Tracking is off already.")
    #expect(actions.startTracking() == "Tracking is on now.")
    #expect(actions.startTracking() == "Tracking is on already.", "before the tracker has started")
    app.run(until: hours(8.6))
    #expect(actions.stopTrip() == "No trip is running.")
    #expect(actions.startTrip("car") == "Trip started: Car.")
    app.settle()
    #expect(actions.startTrip() == "A trip is running already.")
    app.run(until: hours(8.81))
    #expect(actions.status().hasPrefix("Recording a trip."))
    let stopped = actions.stopTrip()
    #expect(stopped.hasPrefix("Trip stopped after 11.") && stopped.hasSuffix("km in 12 min."), "\(stopped)")
    app.settle(20)
    #expect(actions.sendNow().hasPrefix("Sending ") || actions.sendNow() == "Everything was sent already.")
    #expect(actions.stopTracking() == "Tracking is off now.")
    app.end()
  }

  @Test("a location query returns the name of a zone or a region, or the position, or nothing if no position is near in time")
  func whereWasI() throws {
    let app = try opened()
    app.model.tracker.isTracking = true
    app.model.settings.field("wifi_zones")?.text = "home@45.5,14"
    app.model.settings.field("wifi_zones")?.commit()
    app.run(until: hours(9.2))
    let actions = app.model.actions
    #expect(actions.position(at: hours(8).date).hasSuffix("you were at home."), "\(actions.position(at: hours(8).date))")
    let underway = actions.position(at: hours(9).date)
    #expect(underway.hasPrefix("20 Nov, 0") && underway.contains("you were at 45."), "\(underway)")
    #expect(actions.position(at: hours(23).date) == "No position near 20 Nov, 23:00 is on this phone.")
    app.end()
  }

  @Test("the widget gets a snapshot at every change of state, and at most one a minute otherwise")
  func widget() throws {
    let snapshots = Mutex<[WidgetSnapshot]>([])
    let app = try opened { $0.publish = { snapshot in snapshots.withLock { $0.append(snapshot) } } }
    app.model.tracker.isTracking = true
    for second in stride(from: 8.6 * 3600, to: 8.65 * 3600, by: 5) { app.run(until: at(second)) }
    let published = snapshots.withLock { $0 }
    #expect(published.last?.isTracking == true && published.last?.title == "Recording" && published.last?.isProblem == false)
    let drive = published.filter { $0.time > hours(8.6).date }
    #expect(drive.count >= 1 && drive.count <= 4, "\(drive.count)")
    app.model.trip.start("car")
    app.settle()
    #expect(snapshots.withLock { $0.last?.trip?.mode } == "car")
    let bytes = try JSONEncoder().encode(try #require(snapshots.withLock { $0.last }))
    #expect(!String(decoding: bytes, as: UTF8.self).contains("45.5"), "no position")
    app.end()
  }

  @Test("the watch shows the replies of the phone, starts a trip, and has a message if the phone is not reachable")
  func watch() throws {
    let app = try opened()
    app.model.tracker.isTracking = true
    app.run(until: hours(8.6))
    let outbox = Outbox()
    let watch = WatchModel(now: hours(8.6).date) { message, _ in outbox.message = message }
    #expect(watch.title == "The phone is not reachable." && !watch.canCommand)
    func deliver() {
      watch.receive(outbox.message.flatMap { app.model.feed.reply(to: $0) })
    }
    watch.refresh()
    #expect(watch.isWaiting)
    deliver()
    #expect(watch.title == "Recording" && watch.canCommand && watch.isTracking && watch.modes.count == TripMode.allCases.count)
    watch.toggleTrip("car")
    deliver()
    #expect(watch.message == "Trip started: Car.")
    app.settle(60)
    watch.refresh()
    deliver()
    watch.tick(app.phone.now.date)
    #expect(watch.isTripRunning && watch.tripLabel == "Stop trip" && watch.durationText.hasPrefix("0:01:0"))
    watch.setTracking(false)
    deliver()
    #expect(watch.message == "Tracking is off now." && !watch.isTracking)
    watch.receive(nil)
    #expect(watch.message == "The phone is not reachable." && watch.title != "The phone is not reachable.")
    watch.receive(Data("no message".utf8))
    #expect(app.model.feed.reply(to: Data("no message".utf8)) == nil)
    app.end()
  }

  @Test("the privacy screen lists the recorded data, their destinations and their retention")
  func privacy() throws {
    let app = try opened()
    let about = app.model.about
    #expect(about.collected.contains("Latitude and longitude.") && !about.collected.contains { $0.contains("advertising") })
    #expect(about.destinations == ["home.example/api/overland"])
    #expect(about.retentionText.contains("10 d") && about.retentionText.contains("2 d"))
    #expect(about.versionText == "Version 0.1.0" && !about.canExport)
    app.pair("godwit://setup?url=http%3A%2F%2Fplain.example%2Fapi")
    #expect(about.destinations.last == "plain.example/api, without encryption")
    app.end()
  }

  @Test("positions are exported as a track that the project's decoder reads")
  func export() throws {
    let app = try opened()
    app.model.tracker.isTracking = true
    app.run(until: hours(8.3))
    let text = app.model.about.export()
    #expect(app.model.about.canExport && text.contains("<trkpt lat=\"45.5"))
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-\(UUID().uuidString).gpx")
    defer { try? FileManager.default.removeItem(at: file) }
    try text.write(to: file, atomically: true, encoding: .utf8)
    let reader = try TrackFile(path: file.path)
    var count = 0
    while let points = try reader.next() { count += points.count }
    #expect(count == text.matches(of: #/<trkpt /#).count && count > 10)
    app.end()
  }

  @Test("names of servers replace their host names in sentences, but not parts of longer host names")
  func serverNames() throws {
    let app = try opened()
    let state = app.model.state
    var list = state.servers
    list.servers[0].name = "Attic"
    state.perform(.servers(list))
    for (text, expected) in [
      ("home.example rejects the token.", "Attic rejects the token."), ("Retry home.example.", "Retry Attic."),
      ("home.example: not found, home.example", "Attic: not found, Attic"), ("https://home.example/api", "https://Attic/api"),
      ("my-home.example, www.home.example, home.example.org, home.examples, home.example:8443", nil),
    ] {
      #expect(state.plain(text) == expected ?? text)
    }
    app.end()
  }

  @Test("deleting everything needs a confirmation, and leaves no position, server, token or record on the phone")
  func deletion() throws {
    let app = try opened()
    app.model.tracker.isTracking = true
    app.run(until: hours(8.4))
    app.model.settings.field("wifi_zones")?.text = "home@45.5,14"
    app.model.settings.field("wifi_zones")?.commit()
    app.apply(.aeroplane(true))
    app.run(until: hours(8.7))
    let point = try #require(app.model.state.track.points.last)
    let about = app.model.about
    about.delete()
    #expect(about.needsConfirmation && about.confirmationText.contains("records"))
    about.confirmDeletion()
    // A position that arrives before the tracker stops.
    let late = Fix(time: point.time.addingTimeInterval(1000), coordinate: point.coordinate)
    app.model.state.track.add([Record(kind: .fix(late))])
    app.settle(5)
    #expect(about.message == "Positions, wifi zones, servers, tokens and unsent records were deleted from this phone.")
    #expect(app.model.state.settings.wifiZones.isEmpty)
    #expect(!app.model.tracker.isTracking && app.model.servers.rows.isEmpty && app.model.tracker.queuedText == "0")
    #expect(try app.disk.credentials.token("home.example") == nil)
    #expect(app.model.map.lines.isEmpty && !about.canExport)
    app.apply(.kill)
    app.apply(.open)
    app.settle()
    #expect(app.model.map.lines.isEmpty && !app.model.tracker.isTracking)
    app.end()
  }
}

@MainActor
private final class Outbox {
  var message: Data?
}
