internal import GodwitModel

internal import struct Foundation.Date

/// The reason of a minute without events, for the coverage log.
extension Engine {
  var standingReason: CoverageEntry.Reason {
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
}
