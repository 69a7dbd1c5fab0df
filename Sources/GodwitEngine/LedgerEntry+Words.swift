extension LedgerEntry.Reason {
  /// As a person reads it.
  public var words: String {
    switch self {
    case .off: "tracking was off"
    case .killed: "the tracker did not run"
    case .noPermission: "no permission"
    case .notAsked: "waiting for a significant change"
    case .notOnTrip: "only trips are recorded"
    case .paused: "paused by the system"
    case .noSignal: "no signal"
    case .invalid: "no valid position"
    case .tooInaccurate: "too inaccurate"
    case .tooSoon: "too soon after the last"
    case .tooNear: "too near to the last"
    case .recorded: "recorded"
    }
  }
}
