internal import Foundation
package import GodwitEngine
internal import GodwitModel

extension DesiredSetting {
  /// Reads settings from the text of a JSON object with the names of the settings, nested or dotted. An invalid value is returned
  /// as such and not omitted, so that the rejection can name it.
  package static func read(_ text: String) -> [DesiredSetting] {
    guard let object = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] else {
      return [DesiredSetting(name: "set", value: .other(text))]
    }
    return read(object)
  }

  /// Reads settings from the members of a JSON object.
  package static func read(_ members: [String: Any], prefix: String = "") -> [DesiredSetting] {
    members.sorted { $0.key < $1.key }.flatMap { key, value -> [DesiredSetting] in
      let name = prefix + key
      switch value {
      case let nested as [String: Any]:
        // An object in place of a single setting is a wrong value, not a group.
        if Settings.entry(name) != nil { return [DesiredSetting(name: name, value: .other("an object"))] }
        return read(nested, prefix: name + ".")
      case let text as String: return [DesiredSetting(name: name, value: .text(text))]
      case let list as [String]: return [DesiredSetting(name: name, value: .list(list))]
      case let number as NSNumber:
        // Foundation's booleans are numbers; only their Objective-C type distinguishes them.
        let isFlag = String(cString: number.objCType) == "c"
        return [
          DesiredSetting(name: name, value: isFlag ? .flag(number.boolValue) : .number(number.doubleValue))
        ]
      case is NSNull: return [DesiredSetting(name: name, value: .other("null"))]
      default: return [DesiredSetting(name: name, value: .other("an array"))]
      }
    }
  }
}
