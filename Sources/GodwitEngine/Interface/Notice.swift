/// Something that a person should know or decide, in words that they can act on.
public struct Notice: Sendable, Hashable, Codable {
  /// What it is about. A notice replaces one of the same kind that is still shown.
  public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
    /// No update has come for ten minutes: is the tracker still alive?
    case silence
    /// The tracker did not run for a while, and goes on now.
    case gap
    /// The system paused or resumed updates, or the device left the place where they were paused.
    case pause
    /// A trip began or ended by itself.
    case trip
    /// The device seems to have arrived: shall the trip end?
    case endTrip
    /// An endpoint does not take what it is sent.
    case delivery
    /// Records were removed before an endpoint had them.
    case loss
    /// A server changed settings, or a change of a server was taken back.
    case settings
    /// Permission is missing.
    case authorization
  }

  /// What the person can answer.
  public enum Answer: String, Sendable, Hashable, Codable, CaseIterable {
    case endTrip
    case keepTrip
  }

  public var kind: Kind
  public var title: String
  public var body: String
  public var answers: [Answer]

  public init(kind: Kind, title: String, body: String, answers: [Answer] = []) {
    self.kind = kind
    self.title = title
    self.body = body
    self.answers = answers
  }
}
