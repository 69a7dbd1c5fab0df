internal import Foundation
internal import Godwit
internal import GodwitEngine
internal import GodwitModel

/// Settings as a JSON file: the names of the table, nested or dotted.
enum SettingsFile {
  /// - Throws: ``Failure`` that names the file, the setting, the value and what is allowed.
  static func read(_ path: String, over base: Settings = Settings()) throws -> Settings {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw Failure("\(path): the settings cannot be read.")
    }
    let object: Any
    do { object = try JSONSerialization.jsonObject(with: data) } catch {
      throw Failure("\(path): this is no JSON: \(error.localizedDescription)")
    }
    guard let members = object as? [String: Any] else { throw Failure("\(path): expected a JSON object of settings.") }
    var settings = base
    for offer in SettingOffer.read(members) {
      do throws(SettingError) { try settings.set(offer.name, to: offer.value) } catch {
        throw Failure("\(path): \(error)")
      }
    }
    return settings
  }
}
