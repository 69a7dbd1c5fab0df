internal import Godwit
internal import GodwitEngine
internal import GodwitModel

/// The settings for Objective-C.
struct FacadeSettings: Sendable {
  var value: Settings
  /// The interval of every endpoint. It can be any number of seconds, while the setting has a list of allowed values.
  var interval: EndpointPlan.Interval

  /// - Parameters:
  ///   - transmissionInterval: seconds between two uploads. With 0, a negative or an infinite value records are sent only on
  ///     request.
  ///   - onlyWhenInUse: whether only the permission for use of the app is requested.
  ///   - words: further settings by their names.
  /// - Throws: ``GodwitError/Code/invalidSetting`` for the first invalid name or value.
  init(transmissionInterval: Double, onlyWhenInUse: Bool, words: [String: String]) throws(GodwitError) {
    // The defaults of OpenLocate: few positions and a low use of the battery.
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

  /// Parses a value. A flag is "true" or "false"; the items of a list are separated by semicolons.
  private static func value(_ word: String, of name: String) -> SettingValue {
    switch Settings.entry(name)?.kind {
    case .flag: ["true": .flag(true), "false": .flag(false)][word] ?? .text(word)
    case .list: .list(word.split(separator: ";").map { $0.trimmingPrefix(while: \.isWhitespace) }.map(String.init))
    default: .text(word)
    }
  }
}
