internal import Foundation
internal import GodwitDeletion
internal import GodwitHTTP

extension RetentionAPI {
  struct Rule: ResultObject {
    @Nullable var keepDays: Int?
    @Nullable var thinDays: Int?
    @Nullable var thinMinutes: Int?
    /// Present after a run.
    var removed: Counts?
    /// Present after a dry run.
    var wouldRemove: Counts?

    static let schemaName: String? = "Retention"
    static let notes: [String: JSONValue] = [
      "keep_days": "Days after which points are deleted; null: never.",
      "thin_days": "Days after which points are thinned out; null: never.",
      "thin_minutes": "One point in so many minutes stays; null: all.",
    ]

    init(_ retention: Retention, did: RetentionResult? = nil, would: RetentionResult? = nil) {
      (keepDays, thinDays, thinMinutes) = (retention.keepDays, retention.thinDays, retention.thinMinutes)
      (removed, wouldRemove) = (did.map { Counts($0) }, would.map { Counts($0) })
    }
  }

  struct Counts: ResultObject {
    var expired: Int
    var events: Int
    var thinned: Int

    static let schemaName: String? = "Removed"
    static let notes: [String: JSONValue] = ["expired": ["minimum": 0], "events": ["minimum": 0], "thinned": ["minimum": 0]]

    init(_ result: RetentionResult) { (expired, events, thinned) = (result.expired, result.expiredEvents, result.thinned) }
  }

  /// A response with the rule after a change and its entity tag. A response to a dry run has no entity tag, because nothing
  /// was changed.
  struct Change: OperationResult {
    let rule: Rule
    let isDry: Bool

    static let headers: [String: JSONValue] = Tagged<Rule>.headers
    static func content(in components: SchemaComponents) throws -> JSONValue? { try Rule.content(in: components) }
    func response() throws -> HTTPResponse { isDry ? try rule.response() : try Tagged(rule).response() }
  }

  /// The parameter `dry`.
  struct RunParameters: ParameterList {
    let dry: Bool
    static let notes = dryNotes
  }

  struct ChangeParameters: ParameterList {
    let dry: Bool
    let ifMatch: IfMatch?
    static let notes = dryNotes
  }

  private static let dryNotes: [String: JSONValue] = [
    "dry": ["description": "Says what would be removed, and changes nothing.", "default": false]
  ]

  enum DayLimits: WholeLimits {
    static let range = 1...36_500
  }

  enum MinuteLimits: WholeLimits {
    static let range = 1...1440
  }

  struct RuleBody: BodyObject {
    let keepDays: LimitedInteger<DayLimits>?
    let thinDays: LimitedInteger<DayLimits>?
    let thinMinutes: LimitedInteger<MinuteLimits>?

    static let kind = "retention"
    static let summary: String? = "keep_days, or thin_days with thin_minutes, or all three."

    func check(_ body: JSONBody) throws(Problem) {
      guard (thinDays == nil) == (thinMinutes == nil) else {
        throw body.fault("thin_days", "thin_days and thin_minutes belong together.")
      }
      guard retention != Retention() else { throw body.fault("keep_days", "expected keep_days, or thin_days and thin_minutes.") }
    }

    var retention: Retention {
      Retention(keepDays: keepDays?.value, thinDays: thinDays?.value, thinMinutes: thinMinutes?.value)
    }
  }
}
