extension CoverageEntry.Reason {
  /// A short label: "Too near".
  public var title: String { label.title }
  /// An explanation in a sentence.
  public var explanation: String { label.explanation }

  private var label: (title: String, explanation: String) {
    switch self {
    case .lost: ("Too many", "More fixes arrived than the engine could process.")
    case .recorded: ("Recorded", "Fixes were recorded.")
    case .tooNear: ("Too near", "Every fix was closer to the last recorded one than the minimum distance.")
    case .tooSoon: ("Too soon", "Every fix came sooner after the last recorded one than the minimum interval.")
    case .tooInaccurate: ("Too inaccurate", "Every fix was less accurate than the settings require.")
    case .notOnTrip: ("No trip", "Only trips are recorded, and there was none.")
    case .invalid: ("Invalid position", "The receiver reported an invalid position.")
    case .noSignal: ("No signal", "Positions were requested, and none arrived.")
    case .paused: ("Paused", "The system had paused updates.")
    case .atRest: ("At rest", "The device was stationary; only its departure was monitored.")
    case .notAsked: ("Not requested", "Only significant changes were requested, and none occurred.")
    case .noPermission: ("No permission", "The system did not allow access to the location.")
    case .killed: ("Not running", "The tracker did not run, although tracking was on.")
    case .off: ("Off", "Tracking was off.")
    }
  }
}
