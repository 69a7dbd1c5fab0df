/// Encoded as one JSON object with the settings that differ from their defaults, by name. A number that a program has set and that
/// the table does not permit has the name with an appended "=".
extension Settings: Codable {
  public init(from decoder: any Decoder) throws {
    let values = try decoder.singleValueContainer().decode([String: SettingValue].self)
    self.init()
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
      if name.hasSuffix("="), case .number(let number) = value, let entry = Self.entry(String(name.dropLast())) {
        entry.assignExact?(&self, number)
        continue
      }
      do throws(SettingError) { try set(name, to: value) } catch {
        throw DecodingError.dataCorrupted(
          DecodingError.Context(codingPath: decoder.codingPath, debugDescription: error.description))
      }
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    var values = Dictionary(uniqueKeysWithValues: changes.map { ($0.name, $0.value) })
    for entry in Self.table {
      guard let number = entry.exact?(self) else { continue }
      values[entry.name] = nil
      values[entry.name + "="] = .number(number)
    }
    try container.encode(values)
  }
}
