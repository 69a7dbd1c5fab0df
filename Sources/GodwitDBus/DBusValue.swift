#if os(Linux)
  /// A value on a message bus. Numbers have their D-Bus width, because a message is encoded with it.
  package indirect enum DBusValue: Sendable, Hashable {
    case byte(UInt8)
    case boolean(Bool)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case string(String)
    case path(String)
    case signature(String)
    /// An array of bytes.
    case bytes([UInt8])
    /// - Parameter of: the signature of an element. An empty array needs it too.
    case array(of: String, [DBusValue])
    /// - Parameter of: the signatures of the key and the value.
    case dictionary(of: String, [Entry])
    case structure([DBusValue])
    case variant(DBusValue)

    package struct Entry: Sendable, Hashable {
      package var key: DBusValue
      package var value: DBusValue

      package init(key: DBusValue, value: DBusValue) {
        self.key = key
        self.value = value
      }
    }

    /// The D-Bus signature of the value.
    package var type: String {
      switch self {
      case .byte: "y"
      case .boolean: "b"
      case .int16: "n"
      case .uint16: "q"
      case .int32: "i"
      case .uint32: "u"
      case .int64: "x"
      case .uint64: "t"
      case .double: "d"
      case .string: "s"
      case .path: "o"
      case .signature: "g"
      case .bytes: "ay"
      case .array(let element, _): "a" + element
      case .dictionary(let entry, _): "a{" + entry + "}"
      case .structure(let fields): "(" + fields.map(\.type).joined() + ")"
      case .variant: "v"
      }
    }

    package static func strings(_ texts: [String]) -> DBusValue { .array(of: "s", texts.map { .string($0) }) }

    // MARK: Access. A variant is accessed like its content.

    /// The content of a variant, or the value itself.
    package var inside: DBusValue { if case .variant(let value) = self { value.inside } else { self } }

    package var text: String? {
      switch self {
      case .string(let text), .path(let text), .signature(let text): text
      case .variant(let value): value.text
      default: nil
      }
    }

    package var boolean: Bool? {
      switch self {
      case .boolean(let boolean): boolean
      case .variant(let value): value.boolean
      default: nil
      }
    }

    /// The value of an integer of any width; `nil`: it is not an integer, or exceeds `Int`.
    package var whole: Int? {
      switch self {
      case .byte(let number): Int(number)
      case .int16(let number): Int(number)
      case .uint16(let number): Int(number)
      case .int32(let number): Int(number)
      case .uint32(let number): Int(number)
      case .int64(let number): Int(exactly: number)
      case .uint64(let number): Int(exactly: number)
      case .variant(let value): value.whole
      default: nil
      }
    }

    package var double: Double? {
      switch self {
      case .double(let number): number
      case .variant(let value): value.double
      default: whole.map(Double.init)
      }
    }

    package var bytes: [UInt8]? {
      switch self {
      case .bytes(let bytes): bytes
      case .variant(let value): value.bytes
      default: nil
      }
    }

    package var elements: [DBusValue]? {
      switch self {
      case .array(_, let elements): elements
      case .variant(let value): value.elements
      default: nil
      }
    }

    /// The entries of a dictionary whose keys are strings; of equal keys the last. `nil`: it is not a dictionary.
    package var properties: [String: DBusValue]? {
      switch self {
      case .dictionary(_, let entries):
        Dictionary(entries.compactMap { entry in entry.key.text.map { ($0, entry.value) } }) { $1 }
      case .variant(let value): value.properties
      default: nil
      }
    }
  }
#endif
