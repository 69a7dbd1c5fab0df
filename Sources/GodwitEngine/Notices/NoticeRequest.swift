package import struct Foundation.Date

/// A notice in the form that the notification centre of a system needs: its identifier, its buttons and its time.
package struct NoticeRequest: Sendable, Hashable {
  /// The identifier. A notification replaces another one with the same identifier.
  package var identifier: String
  package var title: String
  package var body: String
  /// The identifier of the set of buttons; `nil`: none.
  package var category: String?
  /// Seconds from now; `nil`: at once.
  package var delay: Double?

  package init(_ notice: Notice, at time: Date?, now: Date) {
    identifier = Self.identifier(of: notice.kind)
    title = notice.title
    body = notice.body
    category = Self.category(of: notice.responses)
    // The notification centre has no delay for "now". A time in the past also means now.
    delay = time.map { $0.timeIntervalSince(now) }.flatMap { $0 >= 1 ? $0 : nil }
  }

  package static func identifier(of kind: Notice.Kind) -> String { "godwit.\(kind.rawValue)" }

  /// Every set of buttons, with its identifier. A notification centre must know all of them in advance.
  package static let categories: [(name: String, responses: [Notice.Response])] = [
    [Notice.Response.endTrip], [.keepTrip], [.endTrip, .keepTrip],
  ].map { (name: "godwit." + $0.map(\.rawValue).joined(separator: "."), responses: $0) }

  private static func category(of responses: [Notice.Response]) -> String? {
    categories.first { $0.responses == responses }?.name
  }

  /// The label of a button.
  package static func title(of response: Notice.Response) -> String {
    switch response {
    case .endTrip: "End the trip"
    case .keepTrip: "Keep going"
    }
  }

  /// Returns the response of a pressed button; `nil`: the notice was opened or dismissed, or it is not a notice of the SDK.
  package static func response(action: String, notice identifier: String) -> Notice.Response? {
    identifier.hasPrefix("godwit.") ? Notice.Response(rawValue: action) : nil
  }
}
