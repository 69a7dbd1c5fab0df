public import Foundation

/// An error of Core Location.
public struct CLError: Error, CustomNSError, Hashable, Sendable {
  public enum Code: Int, Sendable {
    case locationUnknown = 0
    case denied = 1
    case network = 2
    case headingFailure = 3
    case regionMonitoringDenied = 4
    case regionMonitoringFailure = 5
    case regionMonitoringSetupDelayed = 6
    case regionMonitoringResponseDelayed = 7
    case geocodeFoundNoResult = 8
    case geocodeFoundPartialResult = 9
    case geocodeCanceled = 10
    case deferredFailed = 11
    case deferredNotUpdatingLocation = 12
    case deferredAccuracyTooLow = 13
    case deferredDistanceFiltered = 14
    case deferredCanceled = 15
    case rangingUnavailable = 16
    case rangingFailure = 17
    case promptDeclined = 18
    case historicalLocationError = 19
  }

  public let code: Code
  /// The error for Objective-C handlers. `NSError` is immutable, so this type is Sendable.
  private let stored: NSError

  /// A sentence for the user with the reason and what to do; empty: none.
  public var reason: String { userInfo[NSLocalizedDescriptionKey] as? String ?? "" }

  /// - Parameters:
  ///   - code: the code of the error.
  ///   - userInfo: further values, under Foundation's keys and ``kCLErrorUserInfoAlternateRegionKey``.
  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    self.code = code
    stored = NSError(domain: kCLErrorDomain, code: code.rawValue, userInfo: userInfo)
  }

  package init(_ code: Code, reason: String) {
    self.init(code, userInfo: reason.isEmpty ? [:] : [NSLocalizedDescriptionKey: reason])
  }

  public static var errorDomain: String { kCLErrorDomain }
  public var errorCode: Int { code.rawValue }
  public var userInfo: [String: Any] { stored.userInfo }
  public var errorUserInfo: [String: Any] { userInfo }

  public static var locationUnknown: Code { .locationUnknown }
  public static var denied: Code { .denied }
  public static var network: Code { .network }

  /// Two errors are equal if their codes are equal.
  public static func == (a: CLError, b: CLError) -> Bool { a.code == b.code }
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

/// Allows `error as? CLError` for an `NSError` of ``kCLErrorDomain`` with a known code, as on Apple's systems. The cast uses this
/// protocol on Linux too.
extension CLError: _ObjectiveCBridgeable {
  public func _bridgeToObjectiveC() -> NSError { stored }

  public static func _conditionallyBridgeFromObjectiveC(_ source: NSError, result: inout CLError?) -> Bool {
    guard source.domain == kCLErrorDomain, let code = Code(rawValue: source.code) else { return false }
    result = CLError(code, userInfo: source.userInfo)
    return true
  }

  public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout CLError?) {
    _ = _conditionallyBridgeFromObjectiveC(source, result: &result)
  }

  /// Converts an error of another domain, or `nil`, to `locationUnknown`.
  public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> CLError {
    var result: CLError?
    if let source { _forceBridgeFromObjectiveC(source, result: &result) }
    return result ?? CLError(.locationUnknown)
  }
}

/// Allows `catch CLError.denied`, as on Apple's systems.
public func ~= (code: CLError.Code, error: any Error) -> Bool { (error as? CLError)?.code == code }
