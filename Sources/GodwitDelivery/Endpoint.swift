public import Foundation
public import GodwitEngine
public import GodwitHTTPClient
public import GodwitModel
public import GodwitWire

/// A destination of records: its address, format, fields and schedule.
///
///     var home = Endpoint(id: "home", url: url, token: token)  // https://my.example/api/overland
///     home.delay = 3600
///
/// The tracker has one cursor in its journal for each endpoint. Records wait until the server has acknowledged them, at most for
/// `Settings.retention`. A slow or unreachable server does not delay other endpoints.
public struct Endpoint: Sendable, CustomStringConvertible {
  /// The name of an endpoint, for example the literal `"home"`.
  public typealias ID = EndpointID
  /// The encoding of batches and responses: see ``EndpointFormat``.
  public typealias Format = any EndpointFormat
  public typealias Authentication = EndpointAuthentication
  public typealias Token = TokenSource

  /// The name of the cursor in the journal. It stays the same when other values change.
  public var id: EndpointID
  /// The address. Placeholders such as `%LAT` are replaced with the newest position.
  public var address: URLTemplate
  public var format: any EndpointFormat
  public var token: TokenSource
  /// Additional headers, for example for a reverse proxy.
  public var headers: [String: String]
  public var trust = TLSTrust.system
  /// The timeout of an upload in seconds.
  public var timeout: Double = 60

  // MARK: Content

  /// The fields of a record that the endpoint gets.
  public var fields = CollectingFields.all
  public var precision = Precision.exact
  /// Minimum age of a record, in seconds, before it is sent.
  public var delay: Double = 0
  /// Zones whose positions the endpoint does not get.
  public var leftOut: [PrivateZone] = []

  // MARK: Schedule

  /// The interval of uploads; by default the interval of the settings.
  public var interval = EndpointPlan.Interval.settings
  /// The part of the queue that is sent; `nil`: the one of the settings.
  public var loggingMode: LoggingMode?
  public var batchSize: Int?
  public var onlyOnWifi = false
  public var onlyWhileCharging = false
  /// Maximum bytes of accepted requests in a day, which begins at midnight UTC; `nil`: no limit. The last request may exceed it.
  public var maximumBytesPerDay: Int?
  /// Whether responses of the endpoint may change settings, within the limits of the settings; `nil`: only if it is the first
  /// endpoint.
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

  /// Creates an endpoint at an address without placeholders, with a constant token.
  public init(
    id: EndpointID, url: URL, token: String? = nil, headers: [String: String] = [:],
    format: any EndpointFormat = OverlandFormat()
  ) {
    self.init(
      id: id, address: URLTemplate(url), token: token.map { .fixed($0) } ?? .none, headers: headers, format: format)
  }

  /// Returns the schedule of the endpoint for the engine.
  /// - Parameter isFirst: whether it is the first configured endpoint.
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

  /// Why uploads can be intercepted, as a sentence: a token is sent over `http:` to another machine. `nil`: they cannot be
  /// intercepted, or there is no secret.
  public var exposureProblem: String? {
    let hasToken = if case .none = token { false } else { true }
    guard hasToken || headers.keys.contains(where: { $0.lowercased() == "authorization" }) else { return nil }
    return TokenExposure.problem(of: address.filled(with: nil), name: description)
  }

  /// The name and the address, without the token, the headers, the query and long parts of the path, which may be secrets.
  public var description: String {
    guard let url = address.filled(with: nil) else { return id.name }
    return "\(id) (\(Self.shown(url)))"
  }

  /// Returns an address without secrets. The path of a webhook is sufficient to write to it.
  package static func shown(_ url: URL) -> String {
    let host = url.host.map { $0.contains(":") ? "[\($0)]" : $0 } ?? ""
    let path = url.path.split(separator: "/", omittingEmptySubsequences: false).map { $0.count < 20 ? $0 : "…" }
    return "\(url.scheme ?? "")://\(host)\(url.port.map { ":\($0)" } ?? "")\(path.joined(separator: "/"))"
  }
}

/// The source of an endpoint's token.
public enum TokenSource: Sendable {
  case none
  case fixed(String)
  /// A function that is called once, and again when the server rejects the token.
  /// - Parameter isExpired: whether the last token was rejected.
  case refreshing(@Sendable (_ isExpired: Bool) async throws -> String)
}
