package import GodwitStore

/// The icon of a device on pages.
package enum DeviceIcon: String, Sendable, Codable, CaseIterable {
  case phone, watch, tablet, laptop, car, van, truck, motorcycle, bicycle, boat, plane, train, person, child, dog, cat, bag, tag
}

/// The appearance of a device on pages.
package struct DeviceAppearance: Sendable, Hashable {
  /// The color as `#rrggbb` in lowercase; `nil`: the page chooses.
  package var color: String?
  package var icon: DeviceIcon?

  package init(color: String? = nil, icon: DeviceIcon? = nil) {
    self.color = color
    self.icon = icon
  }

  /// Returns a color as `#rrggbb` in lowercase; `nil` if the text is invalid.
  package static func color(_ text: String) -> String? {
    let digits = text.dropFirst()
    guard text.hasPrefix("#"), digits.count == 6, digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) else { return nil }
    return text.lowercased()
  }
}

/// The table `device_looks`.
package enum DeviceAppearanceTable {
  package static func all(_ db: any SQLConnection) throws -> [Int64: DeviceAppearance] {
    var looks: [Int64: DeviceAppearance] = [:]
    try db.forEach("SELECT device, color, icon FROM device_looks") { row in
      looks[try row.integer("device")] = DeviceAppearance(
        color: try row.optionalText("color"), icon: try row.optionalText("icon").flatMap { DeviceIcon(rawValue: $0) })
    }
    return looks
  }

  package static func set(_ look: DeviceAppearance, of device: Int64, _ db: any SQLConnection) throws {
    try db.run("DELETE FROM device_looks WHERE device = ?", device)
    guard look != DeviceAppearance() else { return }
    try db.run(
      "INSERT INTO device_looks (device, color, icon) VALUES (?, ?, ?)", device, look.color, look.icon?.rawValue)
  }
}
