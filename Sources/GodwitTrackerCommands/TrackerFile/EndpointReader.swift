internal import Foundation
internal import Godwit
internal import GodwitCommandLine
internal import GodwitDelivery
internal import GodwitEngine
internal import GodwitHTTPClient
internal import GodwitModel
internal import GodwitText
internal import GodwitWire

/// Reads one endpoint of a tracker file.
enum EndpointReader {
  static let members = [
    "id", "url", "format", "token", "token_file", "headers", "interval", "batch_size", "logging_mode", "fields",
    "precision", "delay", "leave_out", "pins", "authority", "only_on_wifi", "only_while_charging", "max_bytes_per_day",
    "remote_settings", "timeout",
  ]

  static func read(_ members: JSONMembers) throws -> Endpoint {
    try members.refuse(allBut: Self.members)
    guard let text = try members.text("url") else { throw members.wrong("url", "an address, https://…") }
    let address: URLTemplate
    do { address = try URLTemplate(text) } catch { throw Failure("\(members.place): url: \(error.reason)") }
    var endpoint = Endpoint(id: EndpointID(try members.text("id") ?? identifier(of: text)), address: address)
    if let name = try members.text("format") {
      do throws(UnknownEndpointFormat) { endpoint.format = try EndpointFormats.format(named: name) } catch {
        throw members.wrong("format", "one of " + EndpointFormats.named.map(\.name).joined(separator: ", "))
      }
    }
    endpoint.token = try token(members)
    endpoint.headers = try headers(members)
    endpoint.trust = try trust(members)
    endpoint.timeout = try members.number("timeout", in: 1...600) ?? endpoint.timeout
    if let names = try members.texts("fields") { endpoint.fields = try fields(names, members) }
    endpoint.precision = try precision(members)
    endpoint.delay = try duration("delay", members) ?? 0
    endpoint.leftOut = try (members.list("leave_out") ?? []).map(zone)
    endpoint.interval = try interval(members)
    if let mode = try members.text("logging_mode") {
      guard let known = LoggingMode(rawValue: mode) else {
        throw members.wrong("logging_mode", LoggingMode.allCases.map(\.rawValue).joined(separator: ", "))
      }
      endpoint.loggingMode = known
    }
    endpoint.batchSize = try members.integer("batch_size", in: 1...10_000)
    endpoint.onlyOnWifi = try members.flag("only_on_wifi") ?? false
    endpoint.onlyWhileCharging = try members.flag("only_while_charging") ?? false
    endpoint.maximumBytesPerDay = try members.integer("max_bytes_per_day", in: 1000...1_000_000_000_000)
    endpoint.changesSettings = try members.flag("remote_settings")
    return endpoint
  }

  /// Returns the address without parts that may be secret. It identifies the endpoint in the journal and in the status.
  static func identifier(of address: String) -> String {
    let filled = try? URLTemplate(address).filled(with: nil)
    guard let filled, var parts = URLComponents(url: filled, resolvingAgainstBaseURL: true) else {
      return String(address.prefix { $0 != "?" })
    }
    parts.user = nil
    parts.password = nil
    parts.query = nil
    parts.fragment = nil
    return parts.string ?? address
  }

  static func token(_ members: JSONMembers) throws -> TokenSource {
    let token = try members.text("token")
    guard let file = try members.text("token_file") else { return token.map { .fixed($0) } ?? .none }
    guard token == nil else { throw Failure("\(members.place): give token or token_file, not both.") }
    let place = members.place
    // The file is read again when the server rejects the token, because another program renews it.
    return .refreshing { _ in
      guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
        throw Failure("\(place): the token file \(file) cannot be read.")
      }
      return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
  }

  private static func headers(_ members: JSONMembers) throws -> [String: String] {
    guard let object = try members.members("headers") else { return [:] }
    var headers: [String: String] = [:]
    for name in object.names {
      let value = try object.text(name) ?? ""
      let isName = name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }
      guard isName, !value.contains(where: \.isNewline) else { throw object.wrong(name, "a header on one line") }
      headers[name] = value
    }
    return headers
  }

  private static func trust(_ members: JSONMembers) throws -> TLSTrust {
    if let pins = try members.texts("pins") {
      guard !pins.isEmpty, pins.allSatisfy({ Data(base64Encoded: $0)?.count == 32 }) else {
        throw members.wrong("pins", "base64 of SHA-256 digests of public keys")
      }
      guard !members.has("authority") else { throw Failure("\(members.place): give pins or authority, not both.") }
      return .pinned(pins)
    }
    guard let path = try members.text("authority") else { return .system }
    guard FileManager.default.isReadableFile(atPath: path) else { throw members.wrong("authority", "a PEM file") }
    return .authority(path: path)
  }

  private static func fields(_ names: [String], _ members: JSONMembers) throws -> CollectingFields {
    try names.reduce(into: CollectingFields()) { fields, name in
      guard let known = CollectingFields.names.first(where: { $0.name == name }) else {
        throw members.wrong("fields", "names of " + CollectingFields.names.map(\.name).joined(separator: ", "))
      }
      fields.insert(known.field)
    }
  }

  private static func precision(_ members: JSONMembers) throws -> Precision {
    guard let value = members.any("precision") else { return .exact }
    if value as? String == "exact" { return .exact }
    guard value is [String: Any], let object = try members.members("precision"), object.names.count == 1 else {
      throw members.wrong("precision", #""exact", {"decimals": 0 to 6} or {"grid": metres}"#)
    }
    try object.refuse(allBut: ["decimals", "grid"])
    if let decimals = try object.integer("decimals", in: 0...6) { return .rounded(decimals: decimals) }
    return .grid(try object.number("grid", in: 10...1_000_000) ?? 1000)
  }

  private static func zone(_ members: JSONMembers) throws -> PrivateZone {
    try members.refuse(allBut: ["latitude", "longitude", "radius"])
    guard let latitude = try members.number("latitude", in: -90...90),
      let longitude = try members.number("longitude", in: -180...180),
      let radius = try members.number("radius", in: 1...1_000_000),
      let center = Coordinate(latitude: latitude, longitude: longitude)
    else { throw Failure("\(members.place): a zone has latitude, longitude and radius (metres).") }
    return PrivateZone(center: center, radius: radius)
  }

  private static func interval(_ members: JSONMembers) throws -> EndpointPlan.Interval {
    switch members.any("interval") as? String {
    case "settings": .settings
    case "never": .never
    default: try duration("interval", members).map { .every($0) } ?? .settings
    }
  }

  /// Parses a duration such as "90s", "5m", "1h" or "10d", in seconds.
  private static func duration(_ name: String, _ members: JSONMembers) throws -> Double? {
    guard let text = try members.text(name) else { return nil }
    let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86400]
    guard let unit = text.last.flatMap({ units[$0] }), let count = Double(text.dropLast()), count >= 0,
      count * unit <= 366 * 86400, count > 0 || name == "delay"
    else { throw members.wrong(name, "a time such as 90s, 5m, 1h or 10d") }
    return count * unit
  }
}
