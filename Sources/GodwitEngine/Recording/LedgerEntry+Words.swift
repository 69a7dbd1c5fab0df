extension LedgerEntry.Reason {
  /// A short label: "Too near".
  public var title: String { words.title }
  /// An explanation in a sentence.
  public var explanation: String { words.explanation }

  private var words: (title: String, explanation: String) {
    switch self {
    case .lost: ("Too many", "More fixes came than could be taken.")
    case .recorded: ("Recorded", "There are fixes.")
    case .tooNear: ("Too near", "Every fix was nearer to the last kept one than the settings want.")
    case .tooSoon: ("Too soon", "Every fix came sooner after the last kept one than the settings want.")
    case .tooInaccurate: ("Too inaccurate", "Every fix was less accurate than the settings want.")
    case .notOnTrip: ("No trip", "Only trips are recorded, and there was none.")
    case .invalid: ("No place", "What the receiver told was no place.")
    case .noSignal: ("No signal", "Positions were asked for, and none came.")
    case .paused: ("Paused", "The system had paused updates.")
    case .atRest: ("At rest", "The device stood still, and only its leaving was watched for.")
    case .notAsked: ("Not asked", "Only significant changes were asked for, and there was none.")
    case .noPermission: ("No permission", "The system did not allow it.")
    case .killed: ("Not running", "The tracker did not run, although tracking was on.")
    case .off: ("Off", "Tracking was off.")
    }
  }
}
