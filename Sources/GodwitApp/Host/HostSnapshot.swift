internal import Godwit
internal import GodwitModel

/// The state of the host, for the main actor.
struct HostSnapshot: Sendable {
  enum Phase: Sendable, Hashable {
    case opening
    /// The phone has not been unlocked since it started: no file can be read.
    case waitingForUnlock
    case running
    /// With the reason, as a sentence.
    case failed(String)
  }

  var phase = Phase.opening
  var tracker: Tracker?
  var status: Tracker.Status?
  var settings = Settings()
  var servers = ServerList()
  /// The number of the last command whose effect is in these values.
  var applied = 0
  /// The reason why the last failed command was not executed, as a sentence; `nil`: the last command succeeded.
  var problem: String?
}
