internal import Foundation

/// Rule 9, first half: the permission for the location, and the prompts that are still possible.
struct Permission: Sendable {
  /// The status that the app reads.
  private(set) var status: CLAuthorizationStatus
  /// Whether "always" is provisional until the user has been asked again.
  private(set) var isProvisional = false
  /// Whether permission is granted once only.
  private(set) var isOnce = false
  private var isAsking = false
  private var wantsAlways = false
  private var wasAskedForAlways = false

  init(_ status: CLAuthorizationStatus) { self.status = status }

  var isGranted: Bool { status.isGranted }
  var isAlways: Bool { status == .authorizedAlways }

  /// Requests permission.
  /// - Returns: whether to prompt the user. "While using" and "always" are each prompted for once.
  mutating func request(always: Bool, _ declarations: AppDeclarations) -> Bool {
    // Without the usage description the request is silently ignored.
    guard declarations.describesWhenInUse, !always || declarations.describesAlways, !isAsking else { return false }
    switch status {
    case .notDetermined: break
    case .authorizedWhenInUse where always && !isOnce && !wasAskedForAlways: wasAskedForAlways = true
    default: return false
    }
    isAsking = true
    wantsAlways = always
    return true
  }

  /// Returns the status after a response of the user.
  func status(after response: PromptResponse, _ profile: OSProfile) -> CLAuthorizationStatus {
    switch response {
    case .deny: status == .notDetermined ? .denied : status
    case .always: .authorizedAlways
    case .once: .authorizedWhenInUse
    case .whileUsing:
      status == .notDetermined && wantsAlways && profile.hasProvisionalAlways ? .authorizedAlways : .authorizedWhenInUse
    }
  }

  mutating func handle(_ response: PromptResponse, _ profile: OSProfile) {
    let isProvisional = response == .whileUsing && status(after: response, profile) == .authorizedAlways
    set(status(after: response, profile))
    self.isProvisional = isProvisional
    isOnce = response == .once
    if isProvisional { wasAskedForAlways = true }
  }

  /// Sets the permission that the user, or a test in the role of the user, chose in the settings.
  mutating func set(_ new: CLAuthorizationStatus) {
    status = new
    (isProvisional, isOnce, isAsking) = (false, false, false)
    if new == .notDetermined { wasAskedForAlways = false }
  }

  /// Called when the app uses the permission "always" in the background.
  /// - Returns: whether to ask the user whether to keep "always".
  mutating func usesAlways() -> Bool {
    guard isProvisional, !isAsking else { return false }
    isAsking = true
    return true
  }
}

/// A response of the user to a prompt for permission.
package enum PromptResponse: Sendable, Hashable {
  case once, whileUsing, always, deny
}

/// The declarations of an app that are in its `Info.plist` on Apple's systems. Exists on Linux only, where a program has no such
/// file.
public struct AppDeclarations: Sendable, Hashable {
  /// Whether the app has a usage description for the location while the app is in use (`NSLocationWhenInUseUsageDescription`).
  public var describesWhenInUse = true
  /// Whether the app has a usage description for the location at any time (`NSLocationAlwaysAndWhenInUseUsageDescription`).
  public var describesAlways = true
  /// Whether the app has the background mode `location`.
  public var hasBackgroundMode = true
  /// The keys of the purposes for which exact positions can be requested (`NSLocationTemporaryUsageDescriptionDictionary`).
  public var fullAccuracyPurposes: Set<String> = []
  /// Whether the app declares that it holds a ``CLServiceSession`` when it uses the location
  /// (`NSLocationRequireExplicitServiceSession`). It has an effect since iOS 18.
  public var requiresServiceSession = false

  /// Creates declarations with all usage descriptions and the background mode, without purposes and without a session.
  public init() {}
}

extension CLAuthorizationStatus {
  /// Whether positions are allowed, always or while the app is in use.
  var isGranted: Bool { self == .authorizedAlways || self == .authorizedWhenInUse }
}
