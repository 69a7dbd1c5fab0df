public import GodwitModel

public import struct Foundation.Date

/// The decisions of a tracker: a pure state machine, `(state, event) → (state, effects)`.
///
/// It reads no clock, holds no thread and touches no file: the same events at the same times give the same
/// effects. Whoever drives it carries out the effects in order and tells it what came of them.
public struct Engine: Sendable, Hashable {
  public private(set) var settings: Settings
  public private(set) var isTracking = false
  public private(set) var authorization = Authorization.notDetermined
  /// Why there is no location just now, as a sentence.
  public private(set) var locationProblem: String?
  /// Newest fix that the location services delivered, kept or not.
  public private(set) var lastFix: Fix?

  private var thinning = Thinning()
  private var sendings: [EndpointID: Sending] = [:]
  /// In the order in which the owner named them.
  private let endpoints: [EndpointID]
  private var context = DeviceContext()
  /// Identifier of the device's system, used where the owner wants it in records.
  private let uniqueID: String?

  public init(settings: Settings, endpoints: [EndpointID], uniqueID: String? = nil) {
    self.settings = settings
    self.endpoints = endpoints
    self.uniqueID = uniqueID
    for endpoint in endpoints { sendings[endpoint] = Sending(waiting: 0) }
  }

  /// Takes an event and says what is to be done.
  public mutating func handle(_ event: Event, at now: Date) -> [Effect] {
    switch event {
    case .launched(let launch): return launched(launch, at: now)
    case .start: return setTracking(true)
    case .stop: return setTracking(false) + drain(at: now)
    case .sendNow: return drain(at: now)
    case .authorizationChanged(let authorization): return authorizationChanged(authorization)
    case .fixes(let fixes): return received(fixes, at: now)
    case .locationFailed(let reason):
      locationProblem = reason
      return []
    case .settingsChanged(let settings): return changed(settings, at: now)
    case .contextChanged(let context):
      self.context = context
      return []
    case .networkChanged(let isReachable):
      return isReachable ? forEach { $0.networkReturned($1, at: now) } : []
    case .timerFired(.send(let endpoint)):
      return step(endpoint) { $0.timerFired($1, at: now) }
    case .uploadFinished(let endpoint, let result):
      return step(endpoint) { $0.finished(result, $1, at: now) }
    }
  }

  // MARK: Looking in

  /// What is known of an endpoint.
  public struct EndpointStatus: Sendable, Hashable {
    /// Records that it has not acknowledged.
    public var waiting: Int
    public var isUploading: Bool
    /// When the next attempt is due after a failure.
    public var retryAt: Date?
    public var lastSuccess: Date?
    /// What went wrong last, as a sentence; `nil` after a success.
    public var problem: String?
  }

  public func status(of endpoint: EndpointID) -> EndpointStatus? {
    guard let sending = sendings[endpoint] else { return nil }
    var retryAt: Date?
    if case .backingOff(let until, _, _) = sending.phase { retryAt = until }
    return EndpointStatus(
      waiting: sending.waiting, isUploading: sending.phase == .uploading, retryAt: retryAt,
      lastSuccess: sending.lastSuccess, problem: sending.problem)
  }

  /// Fixes that were dropped: no place at all, or too near or too soon after the last kept one.
  public var dropped: (invalid: Int, thinned: Int) { (thinning.invalid, thinning.thinned) }

  // MARK: Rules

  private mutating func launched(_ launch: Launch, at now: Date) -> [Effect] {
    thinning = Thinning(lastKept: launch.lastKept)
    lastFix = launch.lastKept
    var effects: [Effect] = []
    if launch.wasTracking { effects += setTracking(true) }
    for endpoint in endpoints {
      let count = launch.waiting[endpoint] ?? 0
      sendings[endpoint] = Sending(waiting: 0)
      if count > 0 { effects += step(endpoint) { $0.recorded(count, $1, at: now) } }
    }
    return effects
  }

  private mutating func setTracking(_ on: Bool) -> [Effect] {
    guard isTracking != on else { return [] }
    isTracking = on
    var effects: [Effect] = [.rememberTracking(on)]
    if on, authorization == .notDetermined { effects.append(.requestAuthorization) }
    effects.append(.configureLocation(on ? LocationRequest(settings.main) : nil))
    return effects
  }

  private mutating func authorizationChanged(_ new: Authorization) -> [Effect] {
    authorization = new
    switch new {
    case .denied: locationProblem = "The system does not let this program know the location."
    case .restricted: locationProblem = "A restriction of this device keeps programs from knowing the location."
    case .notDetermined, .whenInUse, .always: locationProblem = nil
    }
    return []
  }

  private mutating func received(_ fixes: [Fix], at now: Date) -> [Effect] {
    guard isTracking, settings.main.trackingMode != .off else { return [] }
    locationProblem = nil
    var records: [Record] = []
    records.reserveCapacity(fixes.count)
    let context = recordContext
    for fix in fixes {
      if lastFix.map({ fix.time >= $0.time }) ?? true { lastFix = fix }
      if thinning.keeps(fix, settings.main) { records.append(Record(kind: .fix(fix), context: context)) }
    }
    guard !records.isEmpty else { return [] }
    let count = records.count
    return [.record(records)] + forEach { $0.recorded(count, $1, at: now) }
  }

  private var recordContext: DeviceContext {
    var context = context
    context.deviceID = settings.deviceID.isEmpty ? nil : settings.deviceID
    context.uniqueID = settings.includesUniqueID ? uniqueID : nil
    return context
  }

  private mutating func changed(_ new: Settings, at now: Date) -> [Effect] {
    let old = settings
    settings = new
    var effects: [Effect] = []
    if isTracking, LocationRequest(old.main) != LocationRequest(new.main) {
      effects.append(.configureLocation(LocationRequest(new.main)))
    }
    if old.sendInterval != new.sendInterval || old.main.batchSize != new.main.batchSize {
      effects += forEach { $0.recorded(0, $1, at: now) }
    }
    return effects
  }

  private mutating func drain(at now: Date) -> [Effect] { forEach { $0.drain($1, at: now) } }

  private mutating func forEach(_ body: (inout Sending, Settings) -> Sending.Step) -> [Effect] {
    endpoints.flatMap { step($0, body) }
  }

  private mutating func step(
    _ endpoint: EndpointID, _ body: (inout Sending, Settings) -> Sending.Step
  ) -> [Effect] {
    guard var sending = sendings[endpoint] else { return [] }
    let step = body(&sending, settings)
    sendings[endpoint] = sending
    switch step {
    case .nothing: return []
    case .upload(let limit): return [.cancelTimer(.send(endpoint)), .upload(endpoint, limit: limit)]
    case .wait(let until): return [.setTimer(.send(endpoint), until)]
    case .setAside(let reason): return [.setAside(endpoint, reason: reason)]
    }
  }
}
