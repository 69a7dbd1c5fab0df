/// What a definition message says of the messages of one local type.
struct FITDefinition: Sendable, Hashable, Codable {
  /// Whether numbers of more than one byte have the highest byte first.
  let isBigEndian: Bool
  /// The global number: 20 for `record`.
  let message: UInt16
  /// Bytes of a message, without its head.
  private(set) var size = 0
  /// Fields that are read, with the byte behind the head where they begin.
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
    // Others only have a size.
    if field.number == 253 || message == 20 || message == 162 { fields.append(field) }
  }

  /// Adds bytes that are not read.
  mutating func skip(_ bytes: Int) { size += bytes }
}

/// A field of a message.
struct FITField: Sendable, Hashable, Codable {
  let number: UInt8
  /// Bytes.
  let size: Int
  /// The base type, as the file says it.
  let type: UInt8
  /// Bytes of the message before it.
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
  /// With its head.
  let bytes: UnsafeBufferPointer<UInt8>

  /// The bits of a whole number, and how many there are; `nil`: there is no such field, or it is no whole number.
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

  /// A number that is not below zero; `nil` where the device says that it is not known.
  func unsigned(_ number: UInt8) -> UInt64? {
    guard let (value, count, type) = bits(number) else { return nil }
    switch type {
    // enum, uint8, uint16, uint32, byte, uint64: all bits are set where it is not known.
    case 0, 2, 4, 6, 13, 15: return value == UInt64.max >> UInt64(64 - count) ? nil : value
    // The same with 0 for unknown.
    case 10, 11, 12, 16: return value == 0 ? nil : value
    // sint8, sint16, sint32, sint64
    case 1, 3, 5, 14: return signed(number).flatMap { UInt64(exactly: $0) }
    default: return nil
    }
  }

  /// A number; `nil` where the device says that it is not known.
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

/// The checksum of FIT files: CRC-16 with the polynomial 0xA001, half a byte at a time (FIT SDK, file header).
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
