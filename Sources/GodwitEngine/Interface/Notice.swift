/// A notification for the user, with possible responses.
///
/// A `Notifier` shows the notice, and the program passes the response of the user to `Tracker.respond(_:)`. Notices are sent only
/// if the setting `Settings.notifies` is on.
public struct Notice: Sendable, Hashable, Codable {
  private enum CodingKeys: String, CodingKey {
    case kind
    case title
    case body
    case responses = "answers"
  }

  /// The subject. A notice replaces a displayed notice of the same kind.
  public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
    /// No update has arrived for ten minutes; the tracker may have stopped.
    case noPositions = "silence"
    /// The tracker did not run for some time and runs again.
    case gap
    /// The system paused or resumed updates, or the device left the place where they were paused.
    case pause
    /// A trip started or ended automatically.
    case trip
    /// The device seems to have arrived. The notice asks whether the trip should end.
    case endTrip
    /// An endpoint rejects uploads.
    case delivery
    /// Records were removed before an endpoint had acknowledged them.
    case loss
    /// A server changed settings, or its change was rolled back.
    case settings
    /// Permission is missing.
    case authorization
  }

  /// The possible responses of the user.
  public enum Response: String, Sendable, Hashable, Codable, CaseIterable {
    case endTrip
    case keepTrip
  }

  public var kind: Kind
  /// One line, in English.
  public var title: String
  /// One or two sentences; may be empty.
  public var body: String
  /// The responses that are offered as buttons; empty: none.
  public var responses: [Response]

  public init(kind: Kind, title: String, body: String, responses: [Response] = []) {
    self.kind = kind
    self.title = title
    self.body = body
    self.responses = responses
  }
}
