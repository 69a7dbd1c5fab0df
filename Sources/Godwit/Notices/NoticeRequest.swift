internal import Foundation
internal import GodwitEngine

/// A notice as a system's notification centre takes it: under which name, with which buttons, and when.
struct NoticeRequest: Sendable, Hashable {
  /// Takes the place of one with the same name.
  var identifier: String
  var title: String
  var body: String
  /// Names the set of buttons; `nil`: none.
  var category: String?
  /// Seconds from now; `nil`: at once.
  var delay: Double?

  init(_ notice: Notice, at time: Date?, now: Date) {
    identifier = Self.identifier(of: notice.kind)
    title = notice.title
    body = notice.body
    category = Self.category(of: notice.answers)
    // A time that has passed already means now, for which the centre takes no time at all.
    delay = time.map { $0.timeIntervalSince(now) }.flatMap { $0 >= 1 ? $0 : nil }
  }

  static func identifier(of kind: Notice.Kind) -> String { "godwit.\(kind.rawValue)" }

  /// Every set of buttons, with its name: all that there can be, because a centre wants to know them beforehand.
  static let categories: [(name: String, answers: [Notice.Answer])] = [
    [Notice.Answer.endTrip], [.keepTrip], [.endTrip, .keepTrip],
  ].map { (name: "godwit." + $0.map(\.rawValue).joined(separator: "."), answers: $0) }

  private static func category(of answers: [Notice.Answer]) -> String? {
    categories.first { $0.answers == answers }?.name
  }

  /// What stands on a button.
  static func title(of answer: Notice.Answer) -> String {
    switch answer {
    case .endTrip: "End the trip"
    case .keepTrip: "Go on"
    }
  }

  /// The answer that a pressed button gives; `nil`: the notice was only opened or swept away, or is not one of ours.
  static func answer(action: String, notice identifier: String) -> Notice.Answer? {
    identifier.hasPrefix("godwit.") ? Notice.Answer(rawValue: action) : nil
  }
}
