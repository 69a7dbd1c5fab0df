public import Foundation
public import GodwitEngine
public import GodwitHTTPClient
public import GodwitModel
public import GodwitWire

/// Where records go, in which language, how much of them, and when.
public struct Endpoint: Sendable, CustomStringConvertible {
  /// Names the cursor in the journal: keep it, whatever else changes.
  public var id: EndpointID
  /// The address; `%LAT` and the like in it become the newest position.
  public var address: URLTemplate
  public var format: any EndpointFormat
  public var token: TokenSource
  /// Further headers, such as those of a proxy in front of the server.
  public var headers: [String: String]
  public var trust = TLSTrust.system
  /// Seconds without an answer after which an upload has failed.
  public var timeout: Double = 60

  // MARK: How much it is told

  /// What of a record it gets.
  public var fields = CollectingFields.all
  public var precision = Precision.exact
  /// Seconds that a record must be old.
  public var delay: Double = 0
  /// Places that it is not told of.
  public var leftOut: [PrivateZone] = []

  // MARK: When

  /// How often; by default as the settings say.
  public var interval = EndpointPlan.Interval.settings
  /// What of the queue; `nil`: as the settings say.
  public var loggingMode: LoggingMode?
  public var batchSize: Int?
  public var onlyOnWifi = false
  public var onlyWhileCharging = false
  /// Bytes of accepted requests in a day, which begins at midnight UTC; the last request may go beyond.
  public var maximumBytesPerDay: Int?
  /// Whether its answers may change settings, as far as the settings allow that; `nil`: those of the first endpoint may, those
  /// of others may not.
  public var changesSettings: Bool?

  public init(
    id: EndpointID, address: URLTemplate, token: TokenSource = .none, headers: [String: String] = [:],
    format: any EndpointFormat = OverlandFormat()
  ) {
    self.id = id
    self.address = address
    self.token = token
    self.headers = headers
    self.format = format
  }

  /// An endpoint at an address without places, with a token that does not change.
  public init(
    id: EndpointID, url: URL, token: String? = nil, headers: [String: String] = [:],
    format: any EndpointFormat = OverlandFormat()
  ) {
    self.init(
      id: id, address: URLTemplate(url), token: token.map { .fixed($0) } ?? .none, headers: headers, format: format)
  }

  /// What the engine has to know of it.
  /// - Parameter isFirst: it is the first one that the owner named.
  package func plan(isFirst: Bool) -> EndpointPlan {
    var plan = EndpointPlan(id)
    plan.interval = interval
    plan.batchSize = batchSize
    plan.maximumPerRequest = format.maximumPerRequest
    plan.loggingMode = loggingMode
    plan.onlyOnWifi = onlyOnWifi
    plan.onlyWhileCharging = onlyWhileCharging
    plan.maximumBytesPerDay = maximumBytesPerDay
    plan.changesSettings = changesSettings ?? isFirst
    return plan
  }

  /// Why what it is sent can be read on the way, as a sentence: a token over `http:` to another machine. `nil`: it cannot, or it
  /// is no secret.
  public var exposureProblem: String? {
    let hasToken = if case .none = token { false } else { true }
    guard hasToken || headers.keys.contains(where: { $0.lowercased() == "authorization" }) else { return nil }
    return TokenExposure.problem(of: address.filled(with: nil), name: description)
  }

  /// Without token, headers, the address's query and long parts of its path, which may be secrets.
  public var description: String {
    guard let url = address.filled(with: nil) else { return id.name }
    return "\(id) (\(Self.shown(url)))"
  }

  /// An address as it may be seen: who gets hold of a webhook's path needs no more to write to it.
  package static func shown(_ url: URL) -> String {
    let host = url.host.map { $0.contains(":") ? "[\($0)]" : $0 } ?? ""
    let path = url.path.split(separator: "/", omittingEmptySubsequences: false).map { $0.count < 20 ? $0 : "…" }
    return "\(url.scheme ?? "")://\(host)\(url.port.map { ":\($0)" } ?? "")\(path.joined(separator: "/"))"
  }
}

/// Where an endpoint's token comes from.
public enum TokenSource: Sendable {
  case none
  case fixed(String)
  /// Asked once, and again when the server does not know the token any more.
  /// - Parameter isExpired: the last one was refused.
  case refreshing(@Sendable (_ isExpired: Bool) async throws -> String)
}
