internal import GodwitModel

/// What of the settings and of the device's state decides about sending, for every endpoint.
struct SendingConditions {
  /// Seconds between two sends; `nil`: only manually.
  var interval: Double?
  var batchSize: Int
  var loggingMode: LoggingMode
  /// The logging mode that a server's answer has set, which holds for that server alone.
  var serverMode: ServerMode?
  var isOnWifi: Bool
  var batteryState: BatteryState?
  /// The trip that is going on, without what is not collected.
  var trip: RunningTrip?
  /// Whether notices are wanted.
  var notifies: Bool
}
