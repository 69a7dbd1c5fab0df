internal import GodwitModel

internal import struct Foundation.Date

/// How much was sent to an endpoint in a day (UTC).
struct DailyUsage: Sendable, Hashable, Codable {
  var day: Int
  var bytes: Int

  static func day(_ time: Date) -> Int { Int((time.timeIntervalSince1970 / 86400).rounded(.down)) }
}

/// Each endpoint on its own: its terms, its machine, and what came of its uploads.
extension Engine {
  mutating func uploadFinished(_ endpoint: EndpointID, _ result: UploadResult, at now: Date) -> [Effect] {
    var effects = trialTested(by: endpoint, result)
    if case .accepted(_, let bytes) = result {
      var today = usage[endpoint] ?? DailyUsage(day: 0, bytes: 0)
      if today.day != DailyUsage.day(now) { today = DailyUsage(day: DailyUsage.day(now), bytes: 0) }
      today.bytes += bytes
      usage[endpoint] = today
    }
    effects += step(endpoint) { $0.finished(result, $1, at: now) }
    switch result {
    case .refused(let reason, _), .unauthorized(let reason, _):
      // Once is enough, however often it is tried again.
      if complaints[endpoint] != reason {
        complaints[endpoint] = reason
        effects += tell(Notice(kind: .delivery, title: "\(endpoint) does not take records", body: reason))
      }
    case .accepted(_, let bytes) where bytes > 0:
      if complaints.removeValue(forKey: endpoint) != nil, complaints.isEmpty, settings.notifies {
        effects.append(.withdraw(.delivery))
      }
    case .accepted, .nothingToSend, .notYet, .failed, .faulted, .setAside: break
    }
    return effects
  }

  mutating func drain(byOwner: Bool, at now: Date) -> [Effect] {
    forEach { $0.drain($1, byOwner: byOwner, at: now) }
  }

  mutating func forEach(_ body: (inout Sending, SendingTerms) -> Sending.Step) -> [Effect] {
    plans.flatMap { step($0.id, body) }
  }

  mutating func step(
    _ endpoint: EndpointID, _ body: (inout Sending, SendingTerms) -> Sending.Step
  ) -> [Effect] {
    guard var sending = sendings[endpoint], let plan = plans.first(where: { $0.id == endpoint }) else { return [] }
    let step = body(&sending, terms(plan))
    sendings[endpoint] = sending
    switch step {
    case .nothing: return []
    case .upload(let limit, let isProbing):
      let timer: [Effect] = sendTimers.removeValue(forKey: endpoint) == nil ? [] : [.cancelTimer(.send(endpoint))]
      var request = request(plan, limit: limit)
      request.isProbing = isProbing
      return timer + [.upload(endpoint, request)]
    case .wait(let until):
      // Each fix comes by here; the timer stands already.
      guard sendTimers.updateValue(until, forKey: endpoint) != until else { return [] }
      return [.setTimer(.send(endpoint), until)]
    case .setAside(let reason): return [.setAside(endpoint, reason: reason)]
    }
  }

  func terms(_ plan: EndpointPlan) -> SendingTerms {
    var terms = SendingTerms(
      interval: plan.interval(settings),
      batchSize: max(1, min(plan.batchSize ?? settingsInForce.batchSize, plan.mostPerRequest)))
    terms.isHeld = holding(plan) != nil
    if let most = plan.mostBytesPerDay, let today = usage[plan.id], today.bytes >= most {
      // Until the next day begins; a new day's first step finds the count out of date.
      terms.heldUntil = Date(timeIntervalSince1970: Double(today.day + 1) * 86400)
    }
    return terms
  }

  /// Why an endpoint gets nothing just now, as a sentence.
  func holding(_ plan: EndpointPlan) -> String? {
    if plan.onlyOnWifi, !(isWifi ?? (context.wifi != nil)) { return "\(plan.id) is sent to on wifi only." }
    if plan.onlyWhileCharging {
      // Unknown is what a machine says that has no battery to spare; nothing said at all may be a phone that just began.
      switch context.batteryState {
      case .charging, .full, .unknown: break
      case .unplugged, nil: return "\(plan.id) is sent to while charging only."
      }
    }
    return nil
  }

  /// What of the queue an endpoint is sent. What the answer of one server set passes over no record of another endpoint.
  func loggingMode(_ plan: EndpointPlan) -> LoggingMode {
    if let own = plan.loggingMode { return own }
    if let server = serverModes[isOnTrip ? Self.tripMode : Self.mainMode], server.endpoint != plan.id { return server.before }
    return settingsInForce.loggingMode
  }

  private static let mainMode = "main.logging_mode"
  private static let tripMode = "trip.logging_mode"

  /// After a change of settings: which logging modes a server's answer has set.
  mutating func noteModes(_ changes: [SettingChange], by server: EndpointID?) {
    for change in changes where [Self.mainMode, Self.tripMode].contains(change.name) {
      guard let server else {
        serverModes[change.name] = nil
        continue
      }
      var before = serverModes[change.name]?.before
      if before == nil, case .text(let word) = change.old { before = LoggingMode(rawValue: word) }
      serverModes[change.name] = ServerMode(endpoint: server, before: before ?? .all)
    }
  }

  /// Whether attempts to send to an endpoint have failed since it last took something, and none is on its way: only then may what
  /// waits for it become too old.
  public func isFailing(_ endpoint: EndpointID) -> Bool { sendings[endpoint]?.isFailing ?? false }

  mutating func recordsLost(_ endpoint: EndpointID, _ count: Int, isOld: Bool) -> [Effect] {
    sendings[endpoint]?.lost(count)
    lostRecords[endpoint, default: 0] += count
    let all = lostRecords[endpoint] ?? count
    let reason =
      isOld
      ? "They waited longer than the setting retention allows while it could not be reached."
      : "The journal had reached the setting max_journal_size."
    return tell(
      Notice(
        kind: .loss, title: "Records were lost",
        body: "\(all) record\(all == 1 ? "" : "s") will not reach \(endpoint). \(reason)"))
  }

  func request(_ plan: EndpointPlan, limit: Int? = nil, isAsking: Bool = false) -> UploadRequest {
    UploadRequest(
      limit: limit ?? terms(plan).batchSize, loggingMode: loggingMode(plan),
      trip: isOnTrip ? keptTrip : nil, isAsking: isAsking)
  }
}
