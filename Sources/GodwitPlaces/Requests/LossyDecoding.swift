/// An entry of a list that is left out when it is not what was expected, and does not spoil the others.
struct LossyDecoding<Value: Decodable>: Decodable {
  let value: Value?
  init(from decoder: any Decoder) throws { value = try? Value(from: decoder) }
}

extension LossyDecoding: Sendable where Value: Sendable {}

/// A text that some services write as a number.
struct TextOrNumber: Decodable, Sendable {
  let text: String
  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if let text = try? value.decode(String.self) {
      self.text = text
    } else {
      text = String(try value.decode(Int64.self))
    }
  }
}

extension String {
  /// `nil` where there is nothing to show.
  var nonEmpty: String? { isEmpty ? nil : self }
}
