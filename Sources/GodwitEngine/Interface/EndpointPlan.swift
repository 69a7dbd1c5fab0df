public import GodwitModel

/// The sending schedule of an endpoint. `nil` values follow the settings.
public struct EndpointPlan: Sendable, Hashable, Codable {
  /// The interval between uploads.
  public enum Interval: Sendable, Hashable, Codable {
    /// The interval of the settings.
    case settings
    /// Seconds.
    case every(Double)
    /// No interval: records are sent only on request.
    case never
  }

  public var id: EndpointID
  public var interval = Interval.settings
  /// Maximum records in one request, limited by ``maximumPerRequest``; `nil`: the batch size of the settings.
  public var batchSize: Int?
  /// Maximum records in one request that the format of the endpoint permits.
  public var maximumPerRequest = Int.max
  public var loggingMode: LoggingMode?
  public var onlyOnWifi = false
  /// Whether records are sent only on external power, or on a machine without a battery.
  public var onlyWhileCharging = false
  /// Maximum bytes of accepted requests in a day; `nil`: no limit. The remaining records wait for the next day. A day begins at
  /// midnight UTC, independent of time zones. Requests are not split, so the last one may exceed the limit.
  public var maximumBytesPerDay: Int?
  /// Whether responses of the endpoint may change settings, within the limits of the settings.
  public var changesSettings = true

  public init(_ id: EndpointID) { self.id = id }

  /// Returns the seconds between two uploads; `nil`: only on request. - Parameter usual: the interval of the settings.
  func interval(_ usual: Double?) -> Double? {
    switch interval {
    case .settings: usual
    case .every(let seconds): seconds
    case .never: nil
    }
  }
}
