internal import Foundation
internal import Godwit
internal import GodwitEngine
internal import GodwitHTTP
internal import GodwitModel
internal import GodwitStatus

/// Handlers of the panel's API.
struct PanelAPI: Sendable {
  private let panel: PanelServer
  private var tracker: Tracker { panel.tracker }

  init(_ panel: PanelServer) { self.panel = panel }

  // MARK: Reading

  func status() async -> HTTPResponse { Self.json(await StatusReport(of: tracker)) }

  func coverage() async throws -> HTTPResponse { Self.json(try CoverageDay(of: tracker, await tracker.status)) }

  func settings() async throws -> HTTPResponse { Self.json(try await SettingsForm(of: tracker)) }

  // MARK: Commands

  func tracking(_ body: [UInt8]) async throws(Problem) -> HTTPResponse {
    let members = try PanelBody(body)
    guard let isOn = try members.flag("on") else { throw Problem(400, "Bad body", "\"on\" is missing: true or false.") }
    try members.end()
    if isOn { tracker.startTracking() } else { tracker.stopTracking() }
    return await done()
  }

  func startTrip(_ body: [UInt8]) async throws(Problem) -> HTTPResponse {
    let members = try PanelBody(body)
    let word = try members.text("mode")
    try members.end()
    var mode: TripMode?
    if let word {
      mode = TripMode(rawValue: word)
      guard mode != nil else {
        let known = TripMode.allCases.map(\.rawValue).joined(separator: ", ")
        throw Problem(422, "Unknown mode", "\"mode\" cannot be \"\(word)\"; expected one of \(known).")
      }
    }
    guard await tracker.status.trip == nil else {
      throw Problem(409, "Trip in progress", "There is a trip already. Stop it first.")
    }
    tracker.startTrip(mode)
    return await done()
  }

  func stopTrip(_ body: [UInt8]) async throws(Problem) -> HTTPResponse {
    try PanelBody(body).end()
    guard await tracker.status.trip != nil else { throw Problem(409, "No trip", "There is no trip to stop.") }
    tracker.stopTrip()
    return await done()
  }

  func send(_ body: [UInt8]) async throws(Problem) -> HTTPResponse {
    try PanelBody(body).end()
    tracker.sendNow()
    return await done()
  }

  private func done() async -> HTTPResponse {
    _ = await panel.caughtUp()
    return await status()
  }

  // MARK: Settings

  func check(_ body: [UInt8]) async throws(Problem) -> HTTPResponse {
    let desired = DesiredSetting.read(try PanelBody(body).members)
    return Self.json(SettingsReview(desired, from: await tracker.settings, waiting: await tracker.status.waiting))
  }

  func change(_ body: [UInt8]) async throws(Problem) -> HTTPResponse {
    let desired = DesiredSetting.read(try PanelBody(body).members)
    var change = SettingsReview(desired, from: await tracker.settings, waiting: await tracker.status.waiting)
    guard change.problems.isEmpty else { return Self.json(change, status: 422) }
    do {
      try await tracker.set(desired)
    } catch {
      // Another party changed settings between the check and the change.
      throw Problem(409, "Settings changed meanwhile", "\(error)")
    }
    if !(await panel.caughtUp()) {
      change.note = "The change is applied, but not saved yet: \(await tracker.status.journalProblem ?? "the journal is busy")."
    }
    return Self.json(change)
  }

  private static func json(_ value: some Encodable, status: Int = 200) -> HTTPResponse {
    HTTPResponse.json(PanelJSON.bytes(value), status: status).with("Cache-Control", "no-store")
  }
}

/// The body of a request: an object in which each member must be known.
struct PanelBody {
  let members: [String: Any]
  private var names: [String] { members.keys.sorted() }
  private let known = Known()
  private final class Known { var names: Set<String> = [] }

  /// - Throws: `Problem` if the body is not a JSON object. An empty body counts as an empty object.
  init(_ body: [UInt8]) throws(Problem) {
    guard !body.isEmpty else {
      members = [:]
      return
    }
    let value: Any
    do { value = try JSONSerialization.jsonObject(with: Data(body), options: .fragmentsAllowed) } catch {
      throw Problem(400, "Bad body", "The body is not JSON.")
    }
    guard let members = value as? [String: Any] else {
      throw Problem(400, "Bad body", "The body is not a JSON object, such as {\"on\": true}.")
    }
    self.members = members
  }

  func text(_ name: String) throws(Problem) -> String? {
    known.names.insert(name)
    guard let value = members[name] else { return nil }
    guard let text = value as? String else { throw Problem(400, "Bad body", "\"\(name)\" must be a text.") }
    return text
  }

  func flag(_ name: String) throws(Problem) -> Bool? {
    known.names.insert(name)
    guard let value = members[name] else { return nil }
    // Foundation's Booleans are numbers. Only their Objective-C type distinguishes them.
    guard let number = value as? NSNumber, String(cString: number.objCType) == "c" else {
      throw Problem(400, "Bad body", "\"\(name)\" must be true or false.")
    }
    return number.boolValue
  }

  /// - Throws: `Problem` for a member that was not read.
  func end() throws(Problem) {
    guard let unknown = names.first(where: { !known.names.contains($0) }) else { return }
    throw Problem(400, "Bad body", "Unknown member \"\(unknown)\".")
  }
}

/// JSON of the panel's API: names in snake case, times in RFC 3339.
enum PanelJSON {
  static func bytes(_ value: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.dateEncodingStrategy = .custom { date, encoder in
      var container = encoder.singleValueContainer()
      try container.encode(RFC3339.string(date))
    }
    // Numbers that are not finite do not occur: positions and settings are validated on input.
    return (try? encoder.encode(value)).map { Array($0) } ?? Array("{}".utf8)
  }
}
