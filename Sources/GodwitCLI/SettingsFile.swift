internal import Foundation
internal import GodwitModel

/// Settings as a JSON file: the names of the table, nested or dotted.
enum SettingsFile {
  /// - Throws: ``Failure`` that names the file, the setting, the value and what is allowed.
  static func read(_ path: String) throws -> Settings {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw Failure("\(path): the settings cannot be read.")
    }
    let object: Any
    do { object = try JSONSerialization.jsonObject(with: data) } catch {
      throw Failure("\(path): this is no JSON: \(error.localizedDescription)")
    }
    guard let members = object as? [String: Any] else { throw Failure("\(path): expected a JSON object of settings.") }
    var settings = Settings()
    do throws(SettingError) { try apply(members, prefix: "", to: &settings) } catch {
      throw Failure("\(path): \(error)")
    }
    return settings
  }

  private static func apply(
    _ members: [String: Any], prefix: String, to settings: inout Settings
  ) throws(SettingError) {
    for (name, value) in members.sorted(by: { $0.key < $1.key }) {
      switch value {
      case let nested as [String: Any]: try apply(nested, prefix: prefix + name + ".", to: &settings)
      case let text as String: try settings.set(prefix + name, to: .text(text))
      case let number as NSNumber:
        // Foundation's booleans are numbers; only their Objective-C type tells.
        let isFlag = String(cString: number.objCType) == "c"
        try settings.set(prefix + name, to: isFlag ? .flag(number.boolValue) : .number(number.doubleValue))
      default: throw SettingError("\"\(prefix)\(name)\" must be a text, a number, true or false.")
      }
    }
  }

}
