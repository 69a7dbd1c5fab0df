internal import GodwitEngine
internal import GodwitModel

/// Settings from the few words that Objective-C has for them.
struct FacadeSettings: Sendable {
  var value: Settings
  /// Every endpoint's: any number of seconds, where the settings have a list to choose from.
  var interval: EndpointPlan.Interval

  /// - Parameters:
  ///   - transmissionInterval: seconds; zero or less sends only by hand.
  ///   - onlyWhenInUse: which permission is asked for.
  ///   - words: further settings by their names.
  /// - Throws: a sentence for the first setting that has no such name or value.
  init(transmissionInterval: Double, onlyWhenInUse: Bool, words: [String: String]) throws(SettingError) {
    // As OpenLocate has it: places now and then, and hardly any battery.
    var settings = Settings()
    settings.main.trackingMode = .significant
    settings.main.tracksVisits = true
    settings.authorization = onlyWhenInUse ? .whenInUse : .always
    for (name, word) in words.sorted(by: { $0.key < $1.key }) { try settings.set(name, to: Self.value(word, of: name)) }
    value = settings
    interval = transmissionInterval > 0 && transmissionInterval.isFinite ? .every(transmissionInterval) : .never
  }

  /// A switch is "true" or "false", a list has semicolons between its words.
  private static func value(_ word: String, of name: String) -> SettingValue {
    switch Settings.entry(name)?.kind {
    case .flag: ["true": .flag(true), "false": .flag(false)][word] ?? .text(word)
    case .list: .list(word.split(separator: ";").map { $0.trimmingPrefix(while: \.isWhitespace) }.map(String.init))
    default: .text(word)
    }
  }
}
