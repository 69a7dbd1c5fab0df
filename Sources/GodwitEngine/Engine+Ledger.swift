internal import GodwitModel

internal import struct Foundation.Date

/// The reason of a minute without events.
extension Engine {
  var standingReason: LedgerEntry.Reason {
    if !isTracking { return .off }
    switch authorization {
    case .denied, .restricted, .notDetermined: return .noPermission
    case .whenInUse, .always: break
    }
    let mode = settingsInForce.trackingMode
    if mode == .off { return settingsInForce.tracksVisits ? .notAsked : .off }
    if pausedSince != nil { return .paused }
    if isByPolicy, policy.state?.isResting == true { return .atRest }
    return mode == .significant ? .notAsked : .noSignal
  }

  /// Notifies of the gap after the program was killed.
  func reportGap(since end: Date, at now: Date) -> [Effect] {
    let minutes = Int(now.timeIntervalSince(end) / 60)
    // The coverage log is written every few minutes, and the system may restart a program at once.
    guard Double(minutes) * 60 > Reminder.silence + Double(Ledger.writtenEvery) * 60 else { return [] }
    return tell(.gap(minutes: minutes))
  }

  mutating func resumeLedger(_ launch: Launch, at now: Date) -> [Effect] {
    let lines = ledger.resume(after: launch.ledgerEnd, because: launch.wasTracking ? .killed : .off, at: now)
    return lines.isEmpty ? [] : [.keepLedger(lines)]
  }
}
