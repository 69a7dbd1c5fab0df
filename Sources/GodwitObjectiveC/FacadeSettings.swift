internal import Godwit
internal import GodwitEngine
internal import GodwitModel

/// The settings of Objective-C.
struct FacadeSettings: Sendable {
  var value: Settings
  /// The interval of every endpoint: any number of seconds, while the settings have a list of values.
  var interval: EndpointPlan.Interval

  /// - Parameters:
  ///   - transmissionInterval: seconds; zero or less sends only on request.
  ///   - onlyWhenInUse: which permission is requested.
  ///   - words: further settings by their names.
  /// - Throws: a sentence for the first invalid name or value.
  init(transmissionInterval: Double, onlyWhenInUse: Bool, words: [String: String]) throws(GodwitError) {
    // As in OpenLocate: few positions and a low use of the battery.
    var settings = Settings()
    settings.main.trackingMode = .significant
    settings.main.tracksVisits = true
    settings.authorization = onlyWhenInUse ? .whenInUse : .always
    for (name, word) in words.sorted(by: { $0.key < $1.key }) {
      do { try settings.set(name, to: Self.value(word, of: name)) } catch { throw GodwitError(error) }
    }
    value = settings
    interval = transmissionInterval > 0 && transmissionInterval.isFinite ? .every(transmissionInterval) : .never
  }

  /// Parses a value: a switch is "true" or "false", a list has semicolons between its items.
  private static func value(_ word: String, of name: String) -> SettingValue {
    switch Settings.entry(name)?.kind {
    case .flag: ["true": .flag(true), "false": .flag(false)][word] ?? .text(word)
    case .list: .list(word.split(separator: ";").map { $0.trimmingPrefix(while: \.isWhitespace) }.map(String.init))
    default: .text(word)
    }
  }
}
