internal import GodwitModel

extension LocationSettings {
  /// How the tracker was set when a delivery of fixes came, as the text of a JSON object: Overland's words, and its documentation's.
  func trackingStats(fixes: Int) -> String {
    let (number, word) =
      switch trackingMode {
      case .off: (0, "disabled")
      case .standard: (1, "disabled")
      case .significant: (2, "exclusive")
      case .both: (3, "enabled")
      }
    return """
      {"pauses":\(pausesAutomatically),"activity":"\(activityType.recordWord)",\
      "desired_accuracy":\(Int(desiredAccuracy.meters)),"deferred":0,"significant_change":"\(word)",\
      "tracking_mode":\(number),"locations_in_payload":\(fixes)}
      """
  }
}
