internal import Godwit
internal import GodwitCommandLine
internal import GodwitEngine
internal import GodwitModel

/// A JSON file of settings, with the names of the table in nested or dotted form.
enum SettingsFile {
  /// - Throws: ``Failure`` with the file, the setting, the value and the permitted values.
  static func read(_ path: String, over base: Settings = Settings()) throws -> Settings {
    var settings = base
    try apply(try JSONMembers(file: path).all, to: &settings, place: path)
    return settings
  }

  static func apply(_ members: [String: Any], to settings: inout Settings, place: String) throws {
    for desired in DesiredSetting.read(members) {
      do throws(SettingError) { try settings.set(desired.name, to: desired.value) } catch {
        throw Failure("\(place): \(error)")
      }
    }
  }
}
