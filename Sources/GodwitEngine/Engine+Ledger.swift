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
    return mode == .significant ? .notAsked : .noSignal
  }

  mutating func resumeLedger(_ launch: Launch, at now: Date) -> [Effect] {
    let lines = ledger.resume(after: launch.ledgerEnd, because: launch.wasTracking ? .killed : .off, at: now)
    return lines.isEmpty ? [] : [.keepLedger(lines)]
  }
}
