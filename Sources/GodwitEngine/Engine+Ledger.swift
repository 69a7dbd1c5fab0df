internal import GodwitModel

internal import struct Foundation.Date

/// What explains a minute in which nothing happened.
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
    if isByPolicy, policy?.isResting == true { return .atRest }
    return mode == .significant ? .notAsked : .noSignal
  }

  /// A program that was killed could tell nobody; the next one does.
  func tellGap(since end: Date, at now: Date) -> [Effect] {
    let minutes = Int(now.timeIntervalSince(end) / 60)
    // The ledger is written every few minutes, and the system may start a program again at once.
    guard Double(minutes) * 60 > Reminder.patience + Double(Ledger.writtenEvery) * 60 else { return [] }
    let time = minutes < 120 ? "\(minutes) minutes" : minutes < 2880 ? "\(minutes / 60) hours" : "\(minutes / 1440) days"
    return tell(
      Notice(kind: .gap, title: "Tracking goes on", body: "The tracker did not run for \(time). Nothing was recorded then."))
  }

  mutating func resumeLedger(_ launch: Launch, at now: Date) -> [Effect] {
    let lines = ledger.resume(after: launch.ledgerEnd, because: launch.wasTracking ? .killed : .off, at: now)
    return lines.isEmpty ? [] : [.keepLedger(lines)]
  }
}
