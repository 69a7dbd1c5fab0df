/// Settings as one JSON object: each name of the table that differs from its default, with its value.
extension Settings: Codable {
  public init(from decoder: any Decoder) throws {
    let values = try decoder.singleValueContainer().decode([String: SettingValue].self)
    self.init()
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
      do throws(SettingError) { try set(name, to: value) } catch {
        throw DecodingError.dataCorrupted(
          DecodingError.Context(codingPath: decoder.codingPath, debugDescription: error.description))
      }
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(Dictionary(uniqueKeysWithValues: changes.map { ($0.name, $0.value) }))
  }
}
