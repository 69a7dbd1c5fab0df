internal import Foundation
internal import GodwitModel

/// Rule 9: what the person gives, which is whether the app may know the location, and how exactly; and the requests that wait for an
/// answer of theirs.
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
  /// Whether the app may know exact places, which regions and beacons need.
  var givesExactPlaces: Bool { isGranted && !isReduced }

  // MARK: What the app may know

  /// Last known position that the app may know, of the one that the system knows.
  func last(_ known: Fix?) -> Fix? { isGranted ? isReduced ? accuracy.cell : known : nil }
  /// The immediate answer to a request for exact positions that the user denied.
  var cell: Fix? { isReduced ? accuracy.cell : nil }

  /// Cells for positions, while the person keeps the exact place: as many as it is time for.
  mutating func reduce(_ fixes: [Fix], _ profile: OSProfile) -> [Fix] { fixes.compactMap { accuracy.reduce($0, profile) } }

  // MARK: Permission

  /// - Returns: whether the person is to be asked.
  mutating func request(always: Bool, _ declarations: AppDeclarations) -> Bool {
    permission.request(always: always, declarations)
  }

  /// - Returns: whether the person is to be asked now whether always is meant.
  mutating func usesAlways() -> Bool { permission.usesAlways() }

  /// The person decided in the settings. - Returns: whether the status is another one now.
  mutating func decide(_ new: CLAuthorizationStatus) -> Bool {
    let before = status
    permission.set(new)
    return status != before
  }

  /// The person answered a prompt. - Returns: whether the status is another one now.
  mutating func handle(_ response: PromptResponse, _ profile: OSProfile) -> Bool {
    let before = status
    permission.handle(response, profile)
    return status != before
  }

  /// When a permission for this time only is over, of an app that left the front at a time and has no updates.
  func onceEnds(leftFront: Date?, _ profile: OSProfile) -> Date? {
    permission.isOnce ? leftFront?.addingTimeInterval(profile.onceLasts) : nil
  }

  // MARK: Exactness

  /// - Returns: whether the app gets something else now than before.
  mutating func setPrecise(_ isPrecise: Bool, known: Fix?, _ profile: OSProfile) -> Bool {
    guard profile.hasReducedAccuracy else { return false }
    return change(known, profile) { $0.isPrecise = isPrecise }
  }

  /// Exact places were given for the time that the app is used, which is over.
  /// - Returns: whether the app gets something else now than before.
  mutating func endTemporaryFullAccuracy(known: Fix?, _ profile: OSProfile) -> Bool {
    change(known, profile) { $0.isTemporarilyFull = false }
  }

  private mutating func change(_ known: Fix?, _ profile: OSProfile, _ body: (inout ReducedAccuracy) -> Void) -> Bool {
    let wasReduced = isReduced
    body(&accuracy)
    guard isReduced != wasReduced else { return false }
    accuracy.reset()
    // The exact place is not to be had any more, not even the old one.
    if isReduced, let known { _ = accuracy.reduce(known, profile) }
    return true
  }

  /// A client asks for exact places for the time that the app is used.
  /// - Parameter isSeen: whether the app is in front.
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

  /// The person answered whether they give exact places for the time that the app is used.
  /// - Returns: whether the app gets something else now than before, and the answers to those that asked.
  mutating func decideFullAccuracy(_ isGiven: Bool, known: Fix?, _ profile: OSProfile) -> (isChange: Bool, answers: [Output]) {
    guard accuracy.isAsking else { return (false, []) }
    accuracy.isAsking = false
    let isChange = isGiven && change(known, profile) { $0.isTemporarilyFull = true }
    let error = isGiven ? nil : CLError(.promptDeclined, reason: "The user did not allow the exact location.")
    defer { fullAccuracyAskers = [] }
    return (isChange, fullAccuracyAskers.map { .fullAccuracyAnswered($0, error) })
  }
}
