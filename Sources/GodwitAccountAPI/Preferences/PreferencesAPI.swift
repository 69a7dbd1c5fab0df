internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitHTTP
internal import GodwitModel
internal import GodwitRoutes
internal import GodwitStore
internal import GodwitText

extension Preferences.Units: BodyValue {}
extension Preferences.Language: BodyValue {}
extension Preferences.FirstDay: BodyValue {}
extension Preferences.Theme: BodyValue {}

/// `/api/v1/preferences`: units, language, time zone, first day of the week and theme of the pages, for each user.
struct PreferencesAPI {
  let work: RequestWork

  /// The name of a time zone.
  struct ZoneName: BodyValue {
    let name: String

    static func read(_ name: String, from body: inout JSONBody) throws(Problem) -> Self? {
      guard let word = try body.text(name) else { return nil }
      guard Preferences.isTimeZone(word) else {
        throw body.fault(name, "\(word.jsonQuoted) is not a time zone. Expected a name such as Europe/Ljubljana, or UTC.")
      }
      return Self(name: word)
    }
    static func schema(in components: SchemaComponents) -> JSONValue { ["type": "string"] }
    static let sample = Self(name: "UTC")
  }

  struct PreferencesBody: BodyObject {
    let units: Preferences.Units?
    let language: Preferences.Language?
    let timeZone: ZoneName?
    let firstDay: Preferences.FirstDay?
    let theme: Preferences.Theme?

    static let kind = "preferences"
    static let summary: String? = "A member that is left out gets its default."
    static let notes: [String: JSONValue] = [
      "units": ["default": "metric"], "language": "Left out: the first of the browser's that the pages have.",
      "time_zone": "Left out: the browser's.",
      "first_day": ["default": "automatic"], "theme": ["default": "automatic"],
    ]

    var preferences: Preferences {
      var preferences = Preferences()
      if let units { preferences.units = units }
      preferences.language = language
      preferences.timeZone = timeZone?.name
      if let firstDay { preferences.firstDay = firstDay }
      if let theme { preferences.theme = theme }
      return preferences
    }
  }

  struct PreferencesResult: ResultObject {
    var units: Preferences.Units
    @Nullable var language: Preferences.Language?
    @Nullable var timeZone: String?
    var firstDay: Preferences.FirstDay
    var theme: Preferences.Theme

    static let schemaName: String? = "Preferences"
    static let notes: [String: JSONValue] = [
      "language": "Of the pages; null: the first of the browser's that the pages have.",
      "time_zone": "The zone of times that have none of their own; null: the browser's.",
      "first_day": "Of the week; automatic: as usual where the browser's language is spoken.",
      "theme": "automatic: that of the browser's system.",
    ]

    init(_ preferences: Preferences) {
      (units, firstDay, theme) = (preferences.units, preferences.firstDay, preferences.theme)
      (language, timeZone) = (preferences.language, preferences.timeZone)
    }
  }

  func show(_ request: PlainRequest) async throws -> PreferencesResult {
    let account = request.principal.user?.id
    return try await work.read { PreferencesResult(try PreferenceTable.read(of: account, $0)) }
  }

  func set(_ request: BodyRequest<PreferencesBody>) async throws -> Tagged<PreferencesResult> {
    let (account, preferences) = (request.principal.user?.id, request.body.preferences)
    return try await work.write { db in
      try PreferenceTable.set(preferences, of: account, db)
      return Tagged(PreferencesResult(preferences))
    }
  }
}
