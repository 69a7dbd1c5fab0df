internal import GodwitText

/// The members of an object that mean something, by their names in the text.
protocol KnownMember: RawRepresentable where RawValue == Int {
  /// The names, in the order of the raw values.
  static var names: [StaticString] { get }
}

extension KnownMember {
  /// As the text writes it.
  var name: StaticString { Self.names[rawValue] }

  /// The member of a name; `nil` for a name that is not known.
  @inline(__always)
  init?(_ key: JSONReader.Text, in json: borrowing JSONReader) {
    guard let index = json.index(of: key, in: Self.names) else { return nil }
    self.init(rawValue: index)
  }
}

extension JSONReader {
  /// Which of these names a key is.
  @inline(__always)
  func index(of key: Text, in names: [StaticString]) -> Int? {
    if key.hasEscapes {
      let name = decoded(key)
      return names.firstIndex { $0.description == name }
    }
    for index in names.indices where matches(key, names[index]) { return index }
    return nil
  }

  /// The beginning of a name for an error, without what would break a line.
  func shown(_ key: Text) -> String {
    String(String.UnicodeScalarView(decoded(key).unicodeScalars.prefix(40).filter { $0.value >= 0x20 }))
  }
}
