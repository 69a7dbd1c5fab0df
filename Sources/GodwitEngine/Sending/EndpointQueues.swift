internal import GodwitModel

internal import struct Foundation.Date

/// The sending queues of all endpoints, which are independent of one another: the schedule, the state machine and the results of
/// the uploads of each.
struct EndpointQueues: Sendable, Hashable, Codable {
  private enum CodingKeys: String, CodingKey {
    case plans
    case sendings
    case timers
    case reportedProblems = "complaints"
    case usage
    case lost
  }

  /// The schedules, in the order of the configuration.
  let plans: [EndpointPlan]
  private var sendings: [EndpointID: Sending] = [:]
  /// The time of the next send of each endpoint for which a timer is set.
  private var timers: [EndpointID: Date] = [:]
  /// The problem of each endpoint that the user was notified of and that is not solved yet.
  private var reportedProblems: [EndpointID: String] = [:]
  private var usage: [EndpointID: DailyUsage] = [:]
  /// The number of records that were removed before an endpoint had acknowledged them, since the launch.
  private(set) var lost: [EndpointID: Int] = [:]

  init(_ plans: [EndpointPlan]) {
    self.plans = plans
    for plan in plans { sendings[plan.id] = Sending(waiting: 0) }
  }

  // MARK: Events

  /// Initializes the queues at a launch. - Parameter sentToday: the bytes that were sent to each endpoint today.
  mutating func launched(sentToday: [EndpointID: Int], at now: Date) {
    for (endpoint, bytes) in sentToday { usage[endpoint] = DailyUsage(day: DailyUsage.day(now), bytes: bytes) }
    for plan in plans { sendings[plan.id] = Sending(waiting: 0) }
  }

  /// Queues the records that waited at the launch.
  mutating func resume(_ launch: Launch, _ conditions: SendingConditions, at now: Date) -> [Effect] {
    plans.flatMap { plan -> [Effect] in
      guard let count = launch.waiting[plan.id], count > 0 else { return [] }
      // The interval counts from the time of the record. Otherwise a program that is launched often would never send.
      return step(plan, conditions, at: now) { $0.recorded(count, $1, since: launch.waitingSince[plan.id], at: now) }
    }
  }

  /// Handles appended records. - Parameter count: their number; 0: only the conditions have changed.
  mutating func recorded(_ count: Int, _ conditions: SendingConditions, at now: Date) -> [Effect] {
    plans.flatMap { step($0, conditions, at: now) { $0.recorded(count, $1, at: now) } }
  }

  /// Sends all waiting records.
  mutating func drain(byUser: Bool, _ conditions: SendingConditions, at now: Date) -> [Effect] {
    plans.flatMap { step($0, conditions, at: now) { $0.drain($1, byUser: byUser, at: now) } }
  }

  mutating func networkReturned(_ conditions: SendingConditions, at now: Date) -> [Effect] {
    plans.flatMap { step($0, conditions, at: now) { $0.networkReturned($1, at: now) } }
  }

  mutating func timerFired(_ endpoint: EndpointID, _ conditions: SendingConditions, at now: Date) -> [Effect] {
    timers[endpoint] = nil
    guard let plan = plan(endpoint) else { return [] }
    return step(plan, conditions, at: now) { $0.timerFired($1, at: now) }
  }

  mutating func finished(
    _ endpoint: EndpointID, _ result: UploadResult, _ conditions: SendingConditions, at now: Date
  ) -> [Effect] {
    moveUsage(of: endpoint, to: now)
    if case .accepted(_, let bytes) = result {
      var today = usage[endpoint] ?? DailyUsage(day: 0, bytes: 0)
      if today.day != DailyUsage.day(now) { today = DailyUsage(day: DailyUsage.day(now), bytes: 0) }
      today.bytes += bytes
      usage[endpoint] = today
    }
    var effects = plan(endpoint).map { step($0, conditions, at: now) { $0.finished(result, $1, at: now) } } ?? []
    switch result {
    case .rejected(let reason, _), .unauthorized(let reason, _):
      // The user is notified once of a problem, however often the upload is retried.
      if reportedProblems.updateValue(reason, forKey: endpoint) != reason, conditions.notifies {
        let notice = Notice(kind: .delivery, title: "\(endpoint) does not accept records", body: reason)
        effects.append(.notify(notice, at: nil))
      }
    case .accepted(_, let bytes) where bytes > 0:
      if reportedProblems.removeValue(forKey: endpoint) != nil, reportedProblems.isEmpty, conditions.notifies {
        effects.append(.withdraw(.delivery))
      }
    case .accepted, .nothingToSend, .notYet, .failed, .faulted, .quarantined: break
    }
    return effects
  }

  /// Handles the removal of records that an endpoint had not acknowledged. - Parameter isOld: whether they waited too long;
  /// otherwise the journal was too large.
  mutating func lost(_ endpoint: EndpointID, _ count: Int, isOld: Bool, notifies: Bool) -> [Effect] {
    sendings[endpoint]?.lost(count)
    let reason = isOld ? "They exceeded the setting retention while uploads to the endpoint failed." : Self.fullJournal
    return countLost(endpoint, count, reason, notifies: notifies)
  }

  /// Handles the removal of records that the endpoint had rejected. - Parameter isOld: as in ``lost(_:_:isOld:notifies:)``.
  mutating func lostQuarantined(_ endpoint: EndpointID, _ count: Int, isOld: Bool, notifies: Bool) -> [Effect] {
    let reason = isOld ? "It had rejected them, and they exceeded the setting retention." : Self.fullJournal
    return countLost(endpoint, count, reason, notifies: notifies)
  }

  private static let fullJournal = "The journal had reached the setting max_journal_size."

  private mutating func countLost(_ endpoint: EndpointID, _ count: Int, _ reason: String, notifies: Bool) -> [Effect] {
    lost[endpoint, default: 0] += count
    guard notifies else { return [] }
    let all = lost[endpoint] ?? count
    let body = "\(all.counted("record")) will not reach \(endpoint). \(reason)"
    return [.notify(Notice(kind: .loss, title: "Records were lost", body: body), at: nil)]
  }

  /// Handles the deletion of all waiting records.
  mutating func purge() -> [Effect] {
    plans.flatMap { plan -> [Effect] in
      sendings[plan.id]?.purged()
      // A pause after a failure continues: records from now on wait for its end.
      if case .backingOff = sendings[plan.id]?.phase { return [] }
      return cancelTimer(plan.id)
    }
  }

  /// Requests settings from endpoints, even if no records wait for them.
  mutating func ask(_ asked: (EndpointPlan) -> Bool, _ conditions: SendingConditions, at now: Date) -> [Effect] {
    var effects: [Effect] = []
    for plan in plans where asked(plan) {
      moveUsage(of: plan.id, to: now)
      let parameters = parameters(plan, conditions)
      guard sendings[plan.id]?.ask(parameters, at: now) == true else { continue }
      effects += cancelTimer(plan.id)
      effects.append(.upload(plan.id, request(plan, conditions, isAsking: true)))
    }
    return effects
  }

  // MARK: State

  func status(of endpoint: EndpointID, _ conditions: SendingConditions) -> QueueStatus? {
    guard let sending = sendings[endpoint], let plan = plan(endpoint) else { return nil }
    var retryAt: Date?
    if case .backingOff(let until, _, _) = sending.phase { retryAt = until }
    return QueueStatus(
      waiting: sending.waiting, isUploading: sending.phase == .uploading, retryAt: retryAt,
      nextSend: sending.nextSend(parameters(plan, conditions)), lastSuccess: sending.lastSuccess, problem: sending.problem,
      heldBecause: reasonToHold(plan, conditions))
  }

  func isFailing(_ endpoint: EndpointID) -> Bool { sendings[endpoint]?.isFailing ?? false }

  func isUploading(_ endpoint: EndpointID) -> Bool { sendings[endpoint]?.phase == .uploading }

  func plan(_ endpoint: EndpointID) -> EndpointPlan? { plans.first { $0.id == endpoint } }

  // MARK: One endpoint

  private mutating func step(
    _ plan: EndpointPlan, _ conditions: SendingConditions, at now: Date,
    _ body: (inout Sending, SendingParameters) -> Sending.Step
  ) -> [Effect] {
    guard var sending = sendings[plan.id] else { return [] }
    moveUsage(of: plan.id, to: now)
    let step = body(&sending, parameters(plan, conditions))
    sendings[plan.id] = sending
    switch step {
    case .nothing: return []
    case .upload(let limit, let isProbing):
      var request = request(plan, conditions, limit: limit)
      request.isProbing = isProbing
      return cancelTimer(plan.id) + [.upload(plan.id, request)]
    case .wait(let until):
      // This is called for each fix. The timer may be set already.
      guard timers.updateValue(until, forKey: plan.id) != until else { return [] }
      return [.setTimer(.send(plan.id), until)]
    case .quarantined(let reason): return [.quarantine(plan.id, reason: reason)]
    }
  }

  /// Counts the bytes of a later day for the present day, because the clock was set back. Otherwise they would hold records until
  /// that day.
  private mutating func moveUsage(of endpoint: EndpointID, to now: Date) {
    let day = DailyUsage.day(now)
    if let used = usage[endpoint], used.day > day { usage[endpoint] = DailyUsage(day: day, bytes: used.bytes) }
  }

  private mutating func cancelTimer(_ endpoint: EndpointID) -> [Effect] {
    timers.removeValue(forKey: endpoint) == nil ? [] : [.cancelTimer(.send(endpoint))]
  }

  private func parameters(_ plan: EndpointPlan, _ conditions: SendingConditions) -> SendingParameters {
    var parameters = SendingParameters(
      interval: plan.interval(conditions.interval),
      batchSize: max(1, min(plan.batchSize ?? conditions.batchSize, plan.maximumPerRequest)))
    parameters.isHeld = reasonToHold(plan, conditions) != nil
    if let maximum = plan.maximumBytesPerDay, let today = usage[plan.id], today.bytes >= maximum {
      // Records are held until the next day begins. The first step of the new day discards the outdated count.
      parameters.heldUntil = today.nextDay
    }
    return parameters
  }

  /// Why no records are sent to an endpoint at present, as a sentence; `nil`: they are not held.
  private func reasonToHold(_ plan: EndpointPlan, _ conditions: SendingConditions) -> String? {
    if plan.onlyOnWifi, !conditions.isOnWifi { return "\(plan.id) receives records only over wifi." }
    if plan.onlyWhileCharging {
      // A machine without a battery reports "unknown". No state at all may be that of a phone that has just been launched.
      switch conditions.batteryState {
      case .charging, .full, .unknown: break
      case .unplugged, nil: return "\(plan.id) receives records only while charging."
      }
    }
    return nil
  }

  /// The logging mode of an endpoint. A mode that the response of one server set does not skip records of another endpoint.
  private func loggingMode(_ plan: EndpointPlan, _ conditions: SendingConditions) -> LoggingMode {
    if let own = plan.loggingMode { return own }
    if let server = conditions.serverMode, server.endpoint != plan.id { return server.before }
    return conditions.loggingMode
  }

  private func request(
    _ plan: EndpointPlan, _ conditions: SendingConditions, limit: Int? = nil, isAsking: Bool = false
  ) -> UploadRequest {
    UploadRequest(
      limit: limit ?? parameters(plan, conditions).batchSize, loggingMode: loggingMode(plan, conditions), trip: conditions.trip,
      isAsking: isAsking)
  }
}
