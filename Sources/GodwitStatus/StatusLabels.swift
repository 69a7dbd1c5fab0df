internal import Foundation
package import GodwitEngine
package import GodwitModel

/// Labels for the words of the table of settings.
package enum StatusLabels {
  /// The label of a word: "when_in_use" is "When in use".
  package static func label(_ word: String) -> String {
    let spaced = word.split(separator: "_").joined(separator: " ")
    return spaced.prefix(1).uppercased() + spaced.dropFirst()
  }

  /// The label of a choice: "10m" is 10 min in a setting with times, and 10 m in a setting with distances.
  package static func label(_ word: String, of entry: SettingEntry) -> String {
    guard let number = word.prefixMatch(of: #/\d+/#) else { return label(word) }
    let unit = word[number.range.upperBound...]
    guard ["s", "m", "h", "d", "km"].contains(unit) else { return word }
    switch unit {
    case "m": return "\(number.0) \(isTime(entry) ? "min" : "m")"
    case "d": return number.0 == "1" ? "1 day" : "\(number.0) days"
    default: return "\(number.0) \(unit)"
    }
  }

  private static func isTime(_ entry: SettingEntry) -> Bool {
    guard case .choice(let words) = entry.kind else { return false }
    return words.contains { $0.wholeMatch(of: #/\d+[shd]/#) != nil }
  }

  /// The label of a setting's value.
  package static func label(_ value: SettingValue, of entry: SettingEntry) -> String {
    switch value {
    case .flag(let isOn): isOn ? "On" : "Off"
    case .number: entry.unit.map { "\(value.plain) \($0)" } ?? value.plain
    case .text(let text):
      if case .choice = entry.kind { label(text, of: entry) } else { text.isEmpty ? "Empty" : "“\(text)”" }
    case .list(let items): items.isEmpty ? "Empty" : items.joined(separator: ", ")
    case .other(let text): text
    }
  }

  /// The title of a section of settings.
  package static func section(_ name: String) -> String {
    SettingsPage.sections.first { $0.name == name }?.title ?? label(name)
  }

  package static func permission(_ authorization: Authorization) -> String {
    switch authorization {
    case .notDetermined: "Not requested yet"
    case .denied: "Denied"
    case .restricted: "Restricted"
    case .whenInUse: "When in use"
    case .always: "Always"
    }
  }

  package static func activity(_ motion: Motion) -> [String] {
    let names: [(Motion, String)] = [
      (.walking, "walking"), (.running, "running"), (.cycling, "cycling"), (.driving, "driving"),
      (.stationary, "stationary"),
    ]
    return names.filter { motion.contains($0.0) }.map(\.1)
  }
}

/// Labels of endpoints for display. The name of an endpoint is often its address, whose query may contain a secret.
package struct EndpointLabels {
  private let labels: [(name: String, label: String)]

  package init(_ endpoints: [EndpointID]) {
    // The longest names first, because a name may be the prefix of another name.
    labels = endpoints.map { ($0.name, Self.label($0.name)) }.sorted { $0.0.utf8.count > $1.0.utf8.count }
  }

  package func label(_ endpoint: EndpointID) -> String { Self.label(endpoint.name) }

  /// A sentence in which the names of endpoints are replaced with their labels.
  package func plain(_ text: String) -> String {
    labels.reduce(text) { text, endpoint in
      // If the name is the address, a text that contains both would repeat it.
      text.replacing(endpoint.name, with: endpoint.label)
        .replacing(endpoint.label + " (\(endpoint.label))", with: endpoint.label)
    }
  }

  /// An address without user, query and fragment; other names are not changed.
  private static func label(_ name: String) -> String {
    guard let scheme = name.range(of: "://"), ["http", "https"].contains(name[..<scheme.lowerBound].lowercased()) else {
      return name
    }
    let address = name[scheme.upperBound...].prefix { $0 != "?" && $0 != "#" }
    let host = address.prefix { $0 != "/" }
    let path = address.dropFirst(host.count)
    return String((host.split(separator: "@").last ?? host) + (path == "/" ? "" : path))
  }
}
