internal import Foundation
internal import GodwitAccess
internal import GodwitHTTP
internal import GodwitIntake
internal import GodwitModel
internal import GodwitStore
internal import GodwitText
internal import GodwitWire

/// `/api/v1/devices/NAME/settings` and `/api/v1/devices/NAME/current`: desired and reported settings of a device, and
/// its current state.
struct SettingsAPI {
  let work: RequestWork
  let deviceWork: DeviceWork

  static let maximumBody = 64 << 10

  func show(_ request: HTTPRequest) -> HTTPReply {
    let (name, reader) = (request.parameter, request.reader)
    return work.later(request) {
      let device = try reader.device(named: name, in: work.store, wholly: true)
      return try answer(device)
    }
  }

  func put(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let name = request.parameter
    let (settings, force): (DesiredSettings, Bool)
    force = try request.query.flag("force")
    settings = try DesiredSettings(json: request.takeBody())
    return change(request, name) { try DesiredSettingsChange.place(settings, of: $0.id, force: force, at: Date(), $1) }
  }

  func withdraw(_ request: HTTPRequest) -> HTTPReply {
    change(request, request.parameter) { device, connection in
      guard try DesiredSettingsChange.settle(.cancelled, of: device.id, at: Date(), connection) else {
        throw Problem(404, "Nothing ordered", "There are no settings that \(device.name) has not taken yet.")
      }
    }
  }

  private func change(
    _ request: HTTPRequest, _ name: String, _ body: @escaping @Sendable (Device, any SQLConnection) throws -> Void
  ) -> HTTPReply {
    deviceWork.change(request, name) { device, connection in
      try EntityTag.check(
        request, Self.text(device, try DesiredSettingsChange.all(of: device.id, limit: DesiredSettingsChange.history, connection))
      )
      try body(device, connection)
      return try Self.text(device, DesiredSettingsChange.all(of: device.id, limit: DesiredSettingsChange.history, connection))
        .tagged
    }
  }

  private func answer(_ device: Device) throws -> HTTPResponse {
    let orders = try work.store.read { try DesiredSettingsChange.all(of: device.id, limit: DesiredSettingsChange.history, $0) }
    return Self.text(device, orders)
  }

  private static func text(_ device: Device, _ orders: [DesiredSettingsChange]) -> HTTPResponse {
    let open = orders.first { $0.settled == nil }
    let history = orders.map { json($0) }.joined(separator: ",")
    return .json(
      Array(
        #"{"device":\#(device.name.jsonQuoted),"wanted":\#(open?.settings.stored ?? "null"),"history":[\#(history)]}"#.utf8)
        + [0x0A])
  }

  private static func json(_ order: DesiredSettingsChange) -> String {
    func time(_ date: Date?) -> String { date.map { RFC3339.string($0).jsonQuoted } ?? "null" }
    return #"{"ordered":\#(time(order.created)),"settings":\#(order.settings.stored),"state":"\#(order.state.rawValue)""#
      + #","sends":\#(order.sends),"first_sent":\#(time(order.firstSent)),"last_sent":\#(time(order.lastSent))"#
      + #","settled":\#(time(order.settled))}"#
  }

  // MARK: Current state

  func now(_ request: HTTPRequest) -> HTTPReply {
    let (name, reader) = (request.parameter, request.reader)
    return work.later(request) {
      let device = try reader.device(named: name, in: work.store, wholly: true)
      let reports = try work.store.read { try AppTables.reports(of: device.id, $0) }
      var texts = [#""device":\#(device.name.jsonQuoted)"#]
      for type in ["current", "trip"] {
        let report = reports.first { $0.type == type }
        texts.append(#""\#(type)":\#(report?.body ?? "null")"#)
        if let report { texts.append(#""\#(type)_received":\#(RFC3339.string(report.time).jsonQuoted)"#) }
      }
      return .json(Array("{\(texts.joined(separator: ","))}\n".utf8))
    }
  }
}
