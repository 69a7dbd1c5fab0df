internal import Foundation

/// Rule 9, the first half: what the person allows, and which questions they are still asked.
struct Permission: Sendable {
  /// What the app reads.
  private(set) var status: CLAuthorizationStatus
  /// Always, until the person has been asked again.
  private(set) var isProvisional = false
  /// Allowed for this time only.
  private(set) var isOnce = false
  private var isAsking = false
  private var wantsAlways = false
  private var wasAskedForAlways = false

  init(_ status: CLAuthorizationStatus) { self.status = status }

  var isGranted: Bool { status.isGranted }
  var isAlways: Bool { status == .authorizedAlways }

  /// - Returns: whether the person is to be asked: once for each step.
  mutating func request(always: Bool, _ declarations: AppDeclarations) -> Bool {
    // Without the sentence that says what for, the request is silently ignored.
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

  /// The status that an answer gives.
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

  /// Decided in the settings, or by the test in the role of the user.
  mutating func set(_ new: CLAuthorizationStatus) {
    status = new
    (isProvisional, isOnce, isAsking) = (false, false, false)
    if new == .notDetermined { wasAskedForAlways = false }
  }

  /// - Returns: whether the person is to be asked now whether always is meant.
  mutating func usesAlways() -> Bool {
    guard isProvisional, !isAsking else { return false }
    isAsking = true
    return true
  }
}

/// What a person can say when they are asked.
package enum PromptResponse: Sendable, Hashable {
  case once, whileUsing, always, deny
}

/// What an app says about itself in its `Info.plist`. Exists on Linux only, where a program has no such file.
public struct AppDeclarations: Sendable, Hashable {
  /// Whether there is a sentence that says what the location is for while the app is used
  /// (`NSLocationWhenInUseUsageDescription`).
  public var describesWhenInUse = true
  /// The same for at any time (`NSLocationAlwaysAndWhenInUseUsageDescription`).
  public var describesAlways = true
  /// The background mode `location`.
  public var hasBackgroundMode = true
  /// The purposes for which exact places can be asked for (`NSLocationTemporaryUsageDescriptionDictionary`).
  public var fullAccuracyPurposes: Set<String> = []
  /// The app promises to hold a ``CLServiceSession`` wherever it uses the location
  /// (`NSLocationRequireExplicitServiceSession`); kept from iOS 18 on.
  public var requiresServiceSession = false

  /// An app that declares everything but purposes for exact places, and promises no session.
  public init() {}
}

extension CLAuthorizationStatus {
  /// Positions are allowed, always or while the app is in use.
  var isGranted: Bool { self == .authorizedAlways || self == .authorizedWhenInUse }
}
