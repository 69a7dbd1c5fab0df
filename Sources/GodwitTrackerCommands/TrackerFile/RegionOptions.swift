internal import Foundation
internal import Godwit
internal import GodwitCommandLine
internal import GodwitDelivery
internal import GodwitWire

/// Selection of the regions that a tracker monitors, and their server.
struct RegionOptions {
  /// `nil` for the server of the first endpoint with the Overland format.
  var server: RegionServer?
  /// Token for that server.
  var token = TokenSource.none
  /// Token for that server if it is not the server of an endpoint.
  var fallback: String?
  var tags: [RegionTag] = []
  var without: [RegionTag] = []

  init() {}

  /// Reads a member of a tracker file: `true` or an object; `nil` if the member is missing or `false`.
  init?(_ members: JSONMembers, _ name: String) throws {
    guard members.has(name) else { return nil }
    if let flag = try? members.flag(name) {
      guard flag else { return nil }
      return
    }
    guard members.any(name) is [String: Any], let object = try members.members(name) else {
      throw members.wrong(name, "true, false, or an object")
    }
    try object.refuse(allBut: ["server", "token", "token_file", "tags", "without"])
    if let text = try object.text("server") {
      do { server = try RegionServer(argument: text) } catch { throw object.wrong("server", "an address, https://…") }
    }
    token = try EndpointReader.token(object)
    func list(_ name: String) throws -> [RegionTag] {
      try (object.texts(name) ?? []).map { text in
        do { return try RegionTag(argument: text) } catch { throw Failure("\(object.place): \(name): \(error)") }
      }
    }
    (tags, without) = (try list("tags"), try list("without"))
  }

  /// - Parameter endpoints: Endpoints of the tracker.
  /// - Throws: ``UsageError`` if no server with regions is known.
  func configuration(beside endpoints: [Endpoint]) throws -> RegionConfiguration {
    let choice = RegionSync.Choice(tags: tags.map(\.text), without: without.map(\.text))
    if let server {
      // The token of an endpoint is sent only to the endpoint's own server.
      let known = endpoints.first { $0.address.filled(with: nil).map(server.isSame) ?? false }
      var coordinator = SyncCoordinator.Configuration(
        server: server.base, token: known?.token ?? fallback.map { .fixed($0) } ?? .none, headers: known?.headers ?? [:])
      if let known { coordinator.trust = known.trust }
      if case .none = token {} else { coordinator.token = token }
      return RegionConfiguration(server: coordinator, choice: choice)
    }
    let first = endpoints.first { $0.format is OverlandFormat }
    guard let first, let configuration = RegionConfiguration(beside: first, choice: choice) else {
      throw UsageError(
        "regions: no endpoint is a Godwit server's /api/overland, so the server of the regions is unknown. "
          + "Give the server with --regions-server https://HOST.")
    }
    return configuration
  }
}

/// Base URL of a server.
struct RegionServer: ArgumentValue {
  let base: URL

  /// Also accepts the URL of an API endpoint of the server.
  init(argument: String) throws(UsageError) {
    guard var parts = URLComponents(string: argument), ["http", "https"].contains(parts.scheme?.lowercased()),
      parts.host?.isEmpty == false
    else { throw UsageError("\"\(argument)\" is not an address of a server; write https://HOST, for example") }
    if let api = (parts.path + "/").range(of: "/api/", options: .backwards) {
      parts.path = String(parts.path[..<api.lowerBound])
    }
    (parts.query, parts.fragment) = (nil, nil)
    guard let base = parts.url else { throw UsageError("\"\(argument)\" is not an address of a server") }
    self.base = base
  }

  /// Returns whether a URL belongs to this server.
  func isSame(_ url: URL) -> Bool {
    func port(_ url: URL) -> Int { url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80) }
    return url.scheme?.lowercased() == base.scheme?.lowercased() && url.host?.lowercased() == base.host?.lowercased()
      && port(url) == port(base)
  }
}

/// A tag for the selection of regions.
struct RegionTag: ArgumentValue {
  let text: String

  init(argument: String) throws(UsageError) {
    guard (1...64).contains(argument.count), !argument.contains(",") else {
      throw UsageError("\"\(argument)\" is not a tag: 1 to 64 characters without a comma; repeat the option for several tags")
    }
    text = argument
  }
}
