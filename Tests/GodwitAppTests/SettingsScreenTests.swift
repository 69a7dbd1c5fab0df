import Foundation
import Godwit
import GodwitEngine
import GodwitModel
import GodwitSimulator
import Testing

@testable import GodwitApp
@testable import GodwitPhone

@Suite("The screens of settings and servers")
@MainActor
struct SettingsScreenTests {
  private func opened(_ script: String = "") throws -> AppPhone {
    let app = try AppPhone(script)
    app.finishOnboarding()
    return app
  }

  @Test("every entry of the table is a field on one of the two screens, with one control and a summary")
  func complete() throws {
    let app = try opened()
    let fields = (app.model.settings.sections + app.model.tripSettings.sections).flatMap(\.fields)
    #expect(fields.map(\.id).sorted() == Settings.table.map(\.name).sorted())
    for field in fields {
      #expect([field.isFlag, field.isChoice, field.isText, field.isList].filter(\.self).count == 1, "\(field.id)")
      #expect(!field.title.isEmpty && !field.summary.isEmpty && !field.accessibilityLabel.isEmpty)
      #expect(!field.isChoice || field.choices.contains { $0.id == field.choice }, "\(field.id)")
    }
    #expect(app.model.settings.sections.map(\.title) == ["The device", "While tracking", "What is collected"])
    app.end()
  }

  @Test("a flag, a choice, a number, a text and a list are set, survive a relaunch and are in the history")
  func changes() throws {
    let app = try opened()
    let settings = app.model.settings
    try #require(settings.field("main.visit_tracking")).isOn = true
    try #require(settings.field("main.min_distance")).choice = "50m"
    try #require(settings.field("main.batch_size")).choice = "500"
    let name = try #require(settings.field("device_id"))
    name.text = "My phone"
    #expect(name.isEdited && name.canCommit)
    name.commit()
    let zones = try #require(settings.field("wifi_zones"))
    zones.text = "home@46.0569,14.5058\n\nwork@46,14"
    zones.commit()
    app.settle()
    app.apply(.kill)
    app.apply(.open)
    app.settle()
    let later = app.model.settings
    #expect(later.field("main.visit_tracking")?.isOn == true)
    #expect(later.field("main.min_distance")?.valueText == "50 m")
    #expect(later.field("main.batch_size")?.valueText == "500 records")
    #expect(later.field("device_id")?.text == "My phone")
    #expect(later.field("wifi_zones")?.text == "home@46.0569,14.5058\nwork@46.0,14.0")
    #expect(later.history.count >= 5 && later.history.contains { $0.text == "Off → 50 m" })
    app.end()
  }

  @Test("an invalid value has a reason while it is being edited, and is not set")
  func invalid() throws {
    let app = try opened()
    let zones = try #require(app.model.settings.field("wifi_zones"))
    zones.text = "home@200,14"
    #expect(try #require(zones.problem).contains("home@200,14"))
    #expect(!zones.canCommit)
    zones.commit()
    zones.revert()
    #expect(zones.text.isEmpty && zones.problem == nil)
    app.end()
  }

  @Test("a preset sets its values and applies until one of them changes")
  func presets() throws {
    let app = try opened()
    app.model.settings.apply(preset: "battery_saving")
    app.settle()
    #expect(app.model.settings.presets.filter(\.isInForce).map(\.id) == ["battery_saving"])
    #expect(app.model.settings.field("main.tracking_mode")?.valueText == "Significant")
    app.model.settings.field("main.tracking_mode")?.choice = "standard"
    app.settle()
    #expect(!app.model.settings.presets.contains { $0.isInForce })
    #expect(app.model.tripSettings.presets.isEmpty)
    app.end()
  }

  @Test("the search finds titles, summaries and names", arguments: ["MIN DIST", "closer than this", "main.min_distance"])
  func search(wanted: String) throws {
    let app = try opened()
    app.model.settings.search = wanted
    #expect(app.model.settings.sections.flatMap(\.fields).contains { $0.id == "main.min_distance" })
    #expect(app.model.settings.sections.flatMap(\.fields).count < 10)
    app.model.settings.search = "no such setting"
    #expect(app.model.settings.sections.isEmpty && app.model.settings.emptyText != nil)
    app.end()
  }

  @Test("a change that would skip unsent records needs a confirmation")
  func warns() throws {
    let app = try opened("+1h aeroplane on")
    app.pair()
    app.model.tracker.isTracking = true
    app.run(until: hours(8.5))
    let change = app.model.settings.change
    app.model.settings.field("main.logging_mode")?.choice = "latest"
    #expect(change.needsConfirmation && change.confirmationText.contains("newest position"))
    #expect(app.model.settings.field("main.logging_mode")?.choice == "all")
    change.cancel()
    #expect(!change.needsConfirmation)
    app.model.settings.field("main.logging_mode")?.choice = "latest"
    change.confirm()
    app.settle()
    #expect(app.model.settings.field("main.logging_mode")?.choice == "latest")
    app.end()
  }

  @Test("the slider has stops from a second to half an hour and off, and sets the interval")
  func sendInterval() throws {
    let app = try opened()
    let tracker = app.model.tracker
    let stops = ["1 s", "5 s", "10 s", "15 s", "30 s", "1 min", "2 min", "5 min", "10 min", "30 min", "Off"]
    #expect(tracker.sendIntervalStops == stops)
    #expect(tracker.sendIntervalText == "5 min")
    tracker.sendIntervalIndex = tracker.sendIntervalMaximum
    #expect(tracker.sendIntervalText == "Off", "the slider follows at once")
    app.settle()
    #expect(tracker.sendIntervalText == "Off")
    tracker.sendIntervalIndex = .nan
    tracker.sendIntervalIndex = -7
    app.settle()
    #expect(tracker.sendIntervalText == "1 s")
    app.end()
  }

  @Test("a server is added manually; its form shows faults before it can be saved")
  func addManually() throws {
    let app = try opened()
    let servers = app.model.servers
    #expect(servers.emptyText != nil && !servers.canTest)
    #expect(app.model.tracker.alerts.map(\.action) == [.addServer])
    servers.add()
    let form = try #require(servers.form)
    #expect(form.problem == nil && !form.canSave)
    form.address = "ftp://home.example"
    #expect(form.problem != nil && !form.canSave)
    form.address = "http://home.example/api"
    form.token = "a b"
    #expect(form.problem != nil)
    form.token = "ab"
    #expect(form.problem == nil && form.exposureText != nil)
    form.address = "https://home.example/api/overland"
    #expect(form.exposureText == nil)
    form.deviceID = "phone"
    servers.saveForm()
    app.settle()
    #expect(servers.form == nil && servers.rows.map(\.addressText) == ["home.example/api/overland"])
    #expect(app.model.settings.field("device_id")?.text == "phone")
    #expect(app.model.tracker.alerts.isEmpty)
    app.end()
  }

  @Test("removing a server with waiting records needs a confirmation; another is removed at once")
  func remove() throws {
    let app = try opened("+1h aeroplane on")
    app.pair()
    app.pair("godwit://setup?url=https%3A%2F%2Fother.example%2Fapi&token=x")
    app.model.servers.remove("other.example")
    app.settle()
    #expect(!app.model.servers.needsConfirmation && app.model.servers.rows.count == 1)
    #expect(try app.disk.credentials.token("other.example") == nil)
    app.model.tracker.isTracking = true
    app.run(until: hours(8.3))
    app.model.servers.remove("home.example")
    #expect(app.model.servers.needsConfirmation && app.model.servers.confirmationText.contains("not sent"))
    app.model.servers.needsConfirmation = false
    #expect(app.model.servers.rows.count == 1)
    app.model.servers.remove("home.example")
    app.model.servers.confirmRemoval()
    app.settle()
    #expect(app.model.servers.rows.isEmpty)
    #expect(app.model.tracker.isTracking, "tracking continues")
    app.end()
  }

  @Test("a paused server gets nothing until a manual upload or its resumption")
  func paused() throws {
    let app = try opened()
    app.pair()
    app.model.servers.setPaused(true, "home.example")
    app.model.tracker.isTracking = true
    app.run(until: hours(8.4))
    #expect(app.records.isEmpty && app.model.servers.rows.first?.stateText == "paused")
    app.model.servers.test()
    app.settle(60)
    #expect(!app.records.isEmpty)
    app.model.servers.setPaused(false, "home.example")
    app.run(until: hours(9))
    #expect((Int(app.model.tracker.queuedText) ?? .max) < 200 && app.arrivedOnce())
    app.end()
  }

  @Test("a list of servers that cannot be read is a failure with a reason, and opens after a repair")
  func damagedList() throws {
    let app = try opened()
    app.pair()
    try app.disk.files.write(ServerList.file, Data("{".utf8))
    app.apply(.kill)
    app.apply(.open)
    app.settle()
    #expect(app.model.hasFailed && !app.model.showsScreens && app.model.failureText?.isEmpty == false)
    // A change during the failure applies after the repair. App intents return the reason of the failure.
    app.model.tracker.isTracking = true
    app.settle()
    #expect(app.model.actions.startTracking().hasPrefix("The tracker does not run. "), "\(app.model.actions.startTracking())")
    try app.disk.files.write(ServerList.file, nil)
    app.model.retry()
    app.settle()
    #expect(!app.model.hasFailed && app.model.showsScreens && !app.model.canResetServers)
    #expect(app.model.state.status?.isTracking == true)
    app.end()
  }

  @Test("a damaged list of servers can be reset")
  func emptiedList() throws {
    let app = try opened()
    try app.disk.files.write(ServerList.file, Data("{".utf8))
    app.apply(.kill)
    app.apply(.open)
    app.settle()
    app.model.retry()
    app.settle()
    #expect(app.model.canResetServers)
    app.model.resetServers()
    app.settle()
    #expect(app.model.showsScreens && app.model.servers.rows.isEmpty)
    app.pair()
    #expect(app.model.servers.rows.count == 1)
    app.end()
  }

  @Test("a full disk is shown as a problem, and the servers do not change")
  func fullDisk() throws {
    let app = try opened()
    app.pair()
    app.disk.fill()
    app.pair("godwit://setup?url=https%3A%2F%2Fother.example%2Fapi")
    #expect(app.model.servers.rows.count == 1 && app.model.servers.problem != nil)
    #expect(app.model.tracker.alerts.contains { $0.id == "problem" })
    app.end()
  }
}
