internal import Foundation
internal import GodwitModel

/// Rule 9: whether the user allows the app to access the location, and with which accuracy; and the requests that wait for a
/// response of the user.
struct Consent: Sendable {
  typealias ClientID = LocationServices.ClientID
  typealias Output = LocationServices.Output

  private var permission: Permission
  private var accuracy = ReducedAccuracy()
  private var fullAccuracyAskers: [ClientID] = []

  init(_ status: CLAuthorizationStatus) { permission = Permission(status) }

  var status: CLAuthorizationStatus { permission.status }
  var isGranted: Bool { permission.isGranted }
  var isAlways: Bool { permission.isAlways }
  var isReduced: Bool { accuracy.isReduced }
  /// Whether the app may receive exact positions, which regions and beacons need.
  var givesExactPlaces: Bool { isGranted && !isReduced }

  // MARK: Positions that the app may know

  /// Returns the last known position in the form that the app may know; `nil`: none.
  /// - Parameter known: the last known position of the system.
  func last(_ known: Fix?) -> Fix? { isGranted ? isReduced ? accuracy.cell : known : nil }
  /// The last approximate position, if the app receives only approximate ones.
  var cell: Fix? { isReduced ? accuracy.cell : nil }

  /// Converts positions to approximate ones. Most positions are dropped, because approximate ones are reported at an interval.
  mutating func reduce(_ fixes: [Fix], _ profile: OSProfile) -> [Fix] { fixes.compactMap { accuracy.reduce($0, profile) } }

  // MARK: Permission

  /// Requests permission.
  /// - Returns: whether to prompt the user.
  mutating func request(always: Bool, _ declarations: AppDeclarations) -> Bool {
    permission.request(always: always, declarations)
  }

  /// Called when the app uses the permission "always" in the background.
  /// - Returns: whether to ask the user whether to keep "always".
  mutating func usesAlways() -> Bool { permission.usesAlways() }

  /// Sets the permission that the user chose in the settings. - Returns: whether the status changed.
  mutating func decide(_ new: CLAuthorizationStatus) -> Bool {
    let before = status
    permission.set(new)
    return status != before
  }

  /// Handles the response to a prompt. - Returns: whether the status changed.
  mutating func handle(_ response: PromptResponse, _ profile: OSProfile) -> Bool {
    let before = status
    permission.handle(response, profile)
    return status != before
  }

  /// Returns the time at which the permission "once" ends, for an app without updates; `nil`: there is none.
  /// - Parameter leftFront: the time at which the app left the foreground; `nil`: it is in the foreground.
  func onceEnds(leftFront: Date?, _ profile: OSProfile) -> Date? {
    permission.isOnce ? leftFront?.addingTimeInterval(profile.onceLasts) : nil
  }

  // MARK: Accuracy

  /// Sets whether the user grants exact positions.
  /// - Returns: whether the accuracy for the app changed.
  mutating func setPrecise(_ isPrecise: Bool, known: Fix?, _ profile: OSProfile) -> Bool {
    guard profile.hasReducedAccuracy else { return false }
    return change(known, profile) { $0.isPrecise = isPrecise }
  }

  /// Ends the temporary permission for exact positions when the app is no longer in use.
  /// - Returns: whether the accuracy for the app changed.
  mutating func endTemporaryFullAccuracy(known: Fix?, _ profile: OSProfile) -> Bool {
    change(known, profile) { $0.isTemporarilyFull = false }
  }

  private mutating func change(_ known: Fix?, _ profile: OSProfile, _ body: (inout ReducedAccuracy) -> Void) -> Bool {
    let wasReduced = isReduced
    body(&accuracy)
    guard isReduced != wasReduced else { return false }
    accuracy.reset()
    // The last known position is replaced by an approximate one, so that the app cannot read the exact one.
    if isReduced, let known { _ = accuracy.reduce(known, profile) }
    return true
  }

  /// Handles a client's request for temporary exact positions.
  /// - Parameter isSeen: whether the app is in the foreground.
  /// - Returns: the result, or a prompt for the user; `nil`: a prompt is already shown.
  mutating func requestFullAccuracy(_ id: ClientID, _ purpose: String, isSeen: Bool, _ declarations: AppDeclarations)
    -> Output?
  {
    guard isGranted else {
      let reason = "The user does not allow this program to access the location."
      return .fullAccuracyAnswered(id, CLError(.denied, reason: reason))
    }
    guard isReduced else { return .fullAccuracyAnswered(id, nil) }
    guard declarations.fullAccuracyPurposes.contains(purpose) else {
      let reason = "The app declares no purpose \u{201C}\(purpose)\u{201D} for exact locations: declare it first."
      return .fullAccuracyAnswered(id, CLError(.promptDeclined, reason: reason))
    }
    guard isSeen else {
      let reason = "Permission for exact locations can be requested only while the app is in the foreground."
      return .fullAccuracyAnswered(id, CLError(.promptDeclined, reason: reason))
    }
    fullAccuracyAskers.append(id)
    guard !accuracy.isAsking else { return nil }
    accuracy.isAsking = true
    return .promptForFullAccuracy(purpose: purpose)
  }

  /// Handles the user's response to the prompt for temporary exact positions.
  /// - Returns: whether the accuracy for the app changed, and the results of the pending requests.
  mutating func decideFullAccuracy(_ isGiven: Bool, known: Fix?, _ profile: OSProfile) -> (isChange: Bool, answers: [Output]) {
    guard accuracy.isAsking else { return (false, []) }
    accuracy.isAsking = false
    let isChange = isGiven && change(known, profile) { $0.isTemporarilyFull = true }
    let error = isGiven ? nil : CLError(.promptDeclined, reason: "The user did not allow the exact location.")
    defer { fullAccuracyAskers = [] }
    return (isChange, fullAccuracyAskers.map { .fullAccuracyAnswered($0, error) })
  }
}
