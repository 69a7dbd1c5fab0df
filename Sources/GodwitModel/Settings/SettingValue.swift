/// The value of a setting in a file, a response or a link.
public enum SettingValue: Sendable, Hashable, CustomStringConvertible {
  case text(String)
  case number(Double)
  case flag(Bool)
  case list([String])
  /// An invalid value: the text of a JSON null, object or mixed array.
  case other(String)

  public var description: String {
    switch self {
    case .text(let text): "\"\(text)\""
    case .number(let number): number == number.rounded() && abs(number) < 1e15 ? String(Int64(number)) : String(number)
    case .flag(let flag): String(flag)
    case .list(let items): "[" + items.map { "\"\($0)\"" }.joined(separator: ", ") + "]"
    case .other(let text): text
    }
  }
}

/// Encoded as JSON: a string, a number, a Boolean or an array of strings. `other` is encoded as null.
extension SettingValue: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let flag = try? container.decode(Bool.self) {
      self = .flag(flag)
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else if let text = try? container.decode(String.self) {
      self = .text(text)
    } else if let list = try? container.decode([String].self) {
      self = .list(list)
    } else {
      self = .other("null")
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .text(let text): try container.encode(text)
    case .number(let number): try container.encode(number)
    case .flag(let flag): try container.encode(flag)
    case .list(let list): try container.encode(list)
    case .other: try container.encodeNil()
    }
  }
}
