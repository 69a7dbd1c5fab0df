internal import GodwitModel

extension LocationSettings {
  /// Returns the settings of the tracker at a delivery of fixes, as the text of a JSON object with Overland's member names.
  func trackingStats(fixes: Int) -> String {
    let (number, word) =
      switch trackingMode {
      case .off: (0, "disabled")
      case .standard: (1, "disabled")
      case .significant: (2, "exclusive")
      case .both: (3, "enabled")
      }
    return """
      {"pauses":\(pausesAutomatically),"activity":"\(activityType.recordName)",\
      "desired_accuracy":\(Int(desiredAccuracy.meters)),"deferred":0,"significant_change":"\(word)",\
      "tracking_mode":\(number),"locations_in_payload":\(fixes)}
      """
  }
}
