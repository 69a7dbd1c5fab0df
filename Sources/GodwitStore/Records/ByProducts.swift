/// The key of a value that a participant adds to the result of a submission.
package protocol ByProductKey {
  associatedtype Value: Sendable & Hashable
  /// The value if no participant added one.
  static var initial: Value { get }
}

/// Values that participants added to the result of a submission, each under a key.
package struct ByProducts: Sendable, Hashable {
  private var values: [ObjectIdentifier: any Sendable & Hashable] = [:]

  package init() {}

  package subscript<Key: ByProductKey>(_ key: Key.Type) -> Key.Value {
    get { values[ObjectIdentifier(key)] as? Key.Value ?? Key.initial }
    set { values[ObjectIdentifier(key)] = newValue }
  }

  package static func == (left: Self, right: Self) -> Bool {
    left.values.mapValues { AnyHashable($0) } == right.values.mapValues { AnyHashable($0) }
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(values.mapValues { AnyHashable($0) }) }
}
