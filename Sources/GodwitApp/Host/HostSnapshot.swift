internal import Godwit
internal import GodwitModel

/// What the host knows, for the main actor.
struct HostSnapshot: Sendable {
  enum Phase: Sendable, Hashable {
    case opening
    /// The phone was not unlocked since its start: no file can be read.
    case waitingForUnlock
    case running
    /// A sentence gives the reason.
    case failed(String)
  }

  var phase = Phase.opening
  var tracker: Tracker?
  var status: Tracker.Status?
  var settings = Settings()
  var servers = ServerList()
  /// The last command whose effect is in these values.
  var applied = 0
  /// Why the last command that could not be carried out was not.
  var problem: String?
}
