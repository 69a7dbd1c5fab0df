internal import GodwitModel

/// The settings and the state of the device that determine sending, for all endpoints.
struct SendingConditions {
  /// Seconds between two uploads; `nil`: only on request.
  var interval: Double?
  var batchSize: Int
  var loggingMode: LoggingMode
  /// The logging mode that the response of a server set. It applies to that server only.
  var serverMode: ServerMode?
  var isOnWifi: Bool
  var batteryState: BatteryState?
  /// The running trip, without the fields that are not collected.
  var trip: RunningTrip?
  /// Whether notices are enabled.
  var notifies: Bool
}
