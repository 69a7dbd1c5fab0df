public import GodwitEngine

extension Notice.Answer {
  /// What a button with this answer says.
  public var label: String {
    switch self {
    case .endTrip: "End the trip"
    case .keepTrip: "Keep going"
    }
  }
}

extension Notice {
  /// In one line.
  public var sentence: String { body.isEmpty ? title : "\(title)\(title.hasSuffix("?") ? "" : ":") \(body)" }
}
