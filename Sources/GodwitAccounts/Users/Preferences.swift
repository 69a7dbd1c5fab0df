internal import Foundation
package import GodwitStore

/// A user's preferences for the pages.
package struct Preferences: Sendable, Equatable {
  package enum Units: String, Sendable, CaseIterable, Codable {
    case metric
    case imperial
    case nautical
  }
  /// The language of the pages. The texts of each language except English are in the file `texts-` with its code.
  package enum Language: String, Sendable, CaseIterable, Codable {
    case english = "en"
    case german = "de"
    case french = "fr"
    case spanish = "es"
    case slovenian = "sl"
  }
  package enum FirstDay: String, Sendable, CaseIterable, Codable {
    /// The convention of the browser's language.
    case automatic
    case monday
    case saturday
    case sunday
  }
  package enum Theme: String, Sendable, CaseIterable, Codable {
    /// The theme of the browser's operating system.
    case automatic
    case light
    case dark
  }

  package var units = Units.metric
  /// The language; `nil`: the browser's preferred language among those of the pages.
  package var language: Language?
  /// The time zone for times without a time zone, such as `Europe/Ljubljana`; `nil`: the browser's.
  package var timeZone: String?
  package var firstDay = FirstDay.automatic
  package var theme = Theme.automatic

  package init() {}

  /// Whether the pages can show times in the time zone with this name. Browsers use older names of some time zones, which
  /// `knownTimeZoneIdentifiers` does not contain.
  package static func isTimeZone(_ name: String) -> Bool {
    guard name != "UTC" else { return true }
    let isPlain = name.utf8.allSatisfy { byte in
      let isLetter = (0x61...0x7A).contains(byte | 0x20)
      return isLetter || (0x30...0x39).contains(byte) || [0x2B, 0x2D, 0x2F, 0x5F].contains(byte)
    }
    return isPlain && name.contains("/") && TimeZone(identifier: name) != nil
  }
}

/// The preferences of users in the database.
package enum PreferenceTable {
  package static let sqlite = """
    CREATE TABLE preferences (
      account INTEGER PRIMARY KEY,    -- 0: the administrator without a user
      units TEXT NOT NULL,
      language TEXT NOT NULL,         -- empty: the browser's
      time_zone TEXT,                 -- NULL: the browser's
      first_day TEXT NOT NULL,
      theme TEXT NOT NULL
    ) STRICT;
    """

  /// The same for PostgreSQL.
  package static let postgres = """
    CREATE TABLE preferences (
      account BIGINT PRIMARY KEY,
      units TEXT NOT NULL,
      language TEXT NOT NULL,
      time_zone TEXT,
      first_day TEXT NOT NULL,
      theme TEXT NOT NULL
    );
    """

  /// Reads the preferences of a user. A user without preferences gets those of the administrator.
  /// - Parameter account: the user's number; `nil`: the administrator without a user.
  package static func read(of account: Int64?, _ db: any SQLConnection) throws -> Preferences {
    let found = try db.first(
      "SELECT units, language, time_zone, first_day, theme FROM preferences WHERE account IN (?, 0) ORDER BY account DESC LIMIT 1",
      account ?? 0
    ) { row in
      var preferences = Preferences()
      // A value of a newer version is ignored.
      preferences.units = Preferences.Units(rawValue: try row.text("units")) ?? preferences.units
      preferences.language = Preferences.Language(rawValue: try row.text("language"))
      preferences.timeZone = try row.optionalText("time_zone")
      preferences.firstDay = Preferences.FirstDay(rawValue: try row.text("first_day")) ?? preferences.firstDay
      preferences.theme = Preferences.Theme(rawValue: try row.text("theme")) ?? preferences.theme
      return preferences
    }
    return found ?? Preferences()
  }

  /// Replaces the preferences of a user.
  /// - Parameter account: as in ``read(of:_:)``.
  package static func set(_ preferences: Preferences, of account: Int64?, _ db: any SQLConnection) throws {
    try db.run(
      """
      INSERT INTO preferences (account, units, language, time_zone, first_day, theme) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (account) DO UPDATE SET units = excluded.units, language = excluded.language,
        time_zone = excluded.time_zone, first_day = excluded.first_day, theme = excluded.theme
      """, account ?? 0, preferences.units.rawValue, preferences.language?.rawValue ?? "", preferences.timeZone,
      preferences.firstDay.rawValue, preferences.theme.rawValue)
  }
}
