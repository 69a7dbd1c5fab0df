/// A definition message: the format of the messages of a local type.
struct FITDefinition: Sendable, Hashable, Codable {
  /// Whether numbers are big-endian.
  let isBigEndian: Bool
  /// The global message number: 20 for `record`.
  let message: UInt16
  /// The size of a message in bytes, without its header byte.
  private(set) var size = 0
  /// The fields that are read, with their offsets after the header byte.
  private(set) var fields: [FITField] = []

  init(isBigEndian: Bool, message: UInt16) {
    self.isBigEndian = isBigEndian
    self.message = message
  }

  /// Adds the next field.
  mutating func add(_ field: FITField) {
    var field = field
    field.start = size
    size += field.size
    // Only the sizes of other fields are needed.
    if field.number == 253 || message == 20 || message == 162 { fields.append(field) }
  }

  /// Adds the size of fields that are not read.
  mutating func skip(_ bytes: Int) { size += bytes }
}

/// A field of a message.
struct FITField: Sendable, Hashable, Codable {
  let number: UInt8
  /// The size of the field in bytes.
  let size: Int
  /// The base type in the file.
  let type: UInt8
  /// The offset of the field in bytes after the header byte.
  var start = 0

  init(number: UInt8, size: Int, type: UInt8) {
    self.number = number
    self.size = size
    self.type = type
  }
}

/// A message with its definition.
struct FITMessage {
  let definition: FITDefinition
  /// The bytes of the message with its header byte.
  let bytes: UnsafeBufferPointer<UInt8>

  /// Returns the bits of an integer, their number and the base type; `nil` if the field is missing or its size is not that
  /// of an integer.
  private func bits(_ number: UInt8) -> (value: UInt64, count: Int, type: UInt8)? {
    guard let field = definition.fields.first(where: { $0.number == number }), [1, 2, 4, 8].contains(field.size) else {
      return nil
    }
    let start = 1 + field.start
    guard start + field.size <= bytes.count else { return nil }
    var value: UInt64 = 0
    for index in 0..<field.size {
      let place = definition.isBigEndian ? start + index : start + field.size - 1 - index
      value = value << 8 | UInt64(bytes[place])
    }
    return (value, field.size * 8, field.type & 0x1F)
  }

  /// Returns a non-negative number; `nil` for the invalid value, with which the device marks an unknown number.
  func unsigned(_ number: UInt8) -> UInt64? {
    guard let (value, count, type) = bits(number) else { return nil }
    switch type {
    // enum, uint8, uint16, uint32, byte, uint64: the invalid value has all bits set.
    case 0, 2, 4, 6, 13, 15: return value == UInt64.max >> UInt64(64 - count) ? nil : value
    // uint8z, uint16z, uint32z, uint64z: the invalid value is 0.
    case 10, 11, 12, 16: return value == 0 ? nil : value
    // sint8, sint16, sint32, sint64
    case 1, 3, 5, 14: return signed(number).flatMap { UInt64(exactly: $0) }
    default: return nil
    }
  }

  /// Returns a number; `nil` for the invalid value, with which the device marks an unknown number.
  func signed(_ number: UInt8) -> Int64? {
    guard let (value, count, type) = bits(number) else { return nil }
    switch type {
    case 1, 3, 5, 14:
      let unused = UInt64(64 - count)
      guard value != UInt64.max >> (unused + 1) else { return nil }
      return Int64(bitPattern: value << unused) >> Int64(unused)
    case 0, 2, 4, 6, 13, 15, 10, 11, 12, 16: return unsigned(number).flatMap { Int64(exactly: $0) }
    default: return nil
    }
  }
}

/// The checksum of FIT files: CRC-16 with the polynomial 0xA001, computed for half a byte at a time (FIT SDK, file header).
struct FITChecksum: Sendable, Hashable, Codable {
  private(set) var value: UInt16 = 0

  private static let table: [UInt16] = [
    0x0000, 0xCC01, 0xD801, 0x1400, 0xF001, 0x3C00, 0x2800, 0xE401, 0xA001, 0x6C00, 0x7800, 0xB401, 0x5000, 0x9C01, 0x8801,
    0x4400,
  ]

  init() {}

  mutating func add(_ byte: UInt8) {
    for half in [UInt16(byte & 0x0F), UInt16(byte >> 4)] {
      value = value >> 4 ^ Self.table[Int(value & 0x0F)] ^ Self.table[Int(half)]
    }
  }
}
