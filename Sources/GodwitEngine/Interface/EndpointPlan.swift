public import GodwitModel

/// When an endpoint is sent something: what the owner decided for it alone. What is `nil` follows the settings.
public struct EndpointPlan: Sendable, Hashable, Codable {
  /// How often something is sent.
  public enum Interval: Sendable, Hashable, Codable {
    /// As the settings say.
    case settings
    /// Seconds.
    case every(Double)
    /// Only by hand.
    case never
  }

  public var id: EndpointID
  public var interval = Interval.settings
  /// Records in one request, and never more than the format can carry.
  public var batchSize: Int?
  /// The most records that the endpoint's format can carry in a request.
  public var maximumPerRequest = Int.max
  public var loggingMode: LoggingMode?
  public var onlyOnWifi = false
  /// On power, or on a machine that has no battery to spare.
  public var onlyWhileCharging = false
  /// Bytes of accepted requests in a day, after which the rest waits for the next day: it begins at midnight UTC, which no
  /// journey and no summer time moves. A request is not cut, so that the last one may go beyond.
  public var maximumBytesPerDay: Int?
  /// Whether its answers may change settings, as far as the settings allow that.
  public var changesSettings = true

  public init(_ id: EndpointID) { self.id = id }

  /// Seconds between two sends; `nil`: only by hand. - Parameter usual: what the settings say.
  func interval(_ usual: Double?) -> Double? {
    switch interval {
    case .settings: usual
    case .every(let seconds): seconds
    case .never: nil
    }
  }
}
