extension Notice.Response {
  /// The label of the button for this response.
  public var label: String {
    switch self {
    case .endTrip: "End the trip"
    case .keepTrip: "Keep going"
    }
  }
}

extension Notice {
  /// The notice in one line.
  public var sentence: String { body.isEmpty ? title : "\(title)\(title.hasSuffix("?") ? "" : ":") \(body)" }
}
