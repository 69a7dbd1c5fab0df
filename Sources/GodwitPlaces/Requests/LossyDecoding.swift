/// An element of a list that decodes to `nil` if it is invalid, so that the other elements can be decoded.
struct LossyDecoding<Value: Decodable>: Decodable {
  let value: Value?
  init(from decoder: any Decoder) throws { value = try? Value(from: decoder) }
}

extension LossyDecoding: Sendable where Value: Sendable {}

/// A text that some services encode as a number.
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
  /// The string; `nil` if it is empty.
  var nonEmpty: String? { isEmpty ? nil : self }
}
