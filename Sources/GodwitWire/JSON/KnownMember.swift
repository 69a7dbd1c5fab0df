internal import GodwitText

/// The known members of an object, with their names in the text.
protocol KnownMember: RawRepresentable where RawValue == Int {
  /// The names, in the order of the raw values.
  static var names: [StaticString] { get }
}

extension KnownMember {
  /// The name of the member in the text.
  var name: StaticString { Self.names[rawValue] }

  /// Finds the member with a name; `nil` for an unknown name.
  @inline(__always)
  init?(_ key: JSONReader.Text, in json: borrowing JSONReader) {
    guard let index = json.index(of: key, in: Self.names) else { return nil }
    self.init(rawValue: index)
  }
}

extension JSONReader {
  /// Returns the index of a key in a list of names; `nil` if it is not there.
  @inline(__always)
  func index(of key: Text, in names: [StaticString]) -> Int? {
    if key.hasEscapes {
      let name = decoded(key)
      return names.firstIndex { $0.description == name }
    }
    for index in names.indices where matches(key, names[index]) { return index }
    return nil
  }

  /// Returns the first 40 characters of a name for an error, without control characters.
  func shown(_ key: Text) -> String {
    String(String.UnicodeScalarView(decoded(key).unicodeScalars.prefix(40).filter { $0.value >= 0x20 }))
  }
}
