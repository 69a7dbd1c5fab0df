@testable import GodwitFiles

/// Writes FIT files in the variants that devices produce, including invalid ones.
struct FITWriter {
  private(set) var messages: [UInt8] = []
  private var bigEndian: Set<UInt8> = []

  /// A field: its number, its size in bytes and its base type.
  typealias Field = (number: UInt8, size: UInt8, type: UInt8)

  static let position: [Field] = [(253, 4, 0x86), (0, 4, 0x85), (1, 4, 0x85)]

  mutating func define(
    _ local: UInt8, message: UInt16 = 20, _ fields: [Field], isBigEndian: Bool = false, developer: [UInt8] = []
  ) {
    messages.append(0x40 | (developer.isEmpty ? 0 : 0x20) | local)
    messages += [0, isBigEndian ? 1 : 0]
    if isBigEndian { bigEndian.insert(local) } else { bigEndian.remove(local) }
    append(UInt64(message), 2, local)
    messages.append(UInt8(fields.count))
    for field in fields { messages += [field.number, field.size, field.type] }
    guard !developer.isEmpty else { return }
    messages.append(UInt8(developer.count))
    for size in developer { messages += [0, size, 0] }
  }

  /// Appends a data message: values with their sizes in bytes.
  mutating func data(_ local: UInt8, _ values: [(Int64, Int)], developer: [UInt8] = []) {
    messages.append(local)
    for (value, size) in values { append(UInt64(bitPattern: value), size, local) }
    messages += developer
  }

  /// Appends a message with a compressed timestamp: the low five bits of its time in its header.
  mutating func compressed(_ local: UInt8, offset: UInt8, _ values: [(Int64, Int)]) {
    messages.append(0x80 | local << 5 | offset)
    for (value, size) in values { append(UInt64(bitPattern: value), size, local) }
  }

  private mutating func append(_ value: UInt64, _ size: Int, _ local: UInt8) {
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: value >> (UInt64($0) * 8)) }
    messages += bigEndian.contains(local) ? bytes.reversed() : bytes
  }

  /// Degrees in the unit of FIT: 2³¹ semicircles are 180°.
  static func semicircles(_ degrees: Double) -> Int64 { Int64((degrees / 180 * 2_147_483_648).rounded()) }

  /// The complete file: header, messages and checksum.
  func file(header: Int = 14, checksum: UInt16? = nil) -> [UInt8] {
    let size = messages.count
    var bytes: [UInt8] = [UInt8(header), 0x20, 0x54, 0x08]
    for shift in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: size >> shift)) }
    bytes += Array(".FIT".utf8)
    bytes += [UInt8](repeating: 0, count: header - 12)
    bytes += messages
    var sum = FITChecksum()
    for byte in bytes { sum.add(byte) }
    let value = checksum ?? sum.value
    return bytes + [UInt8(value & 0xFF), UInt8(value >> 8)]
  }

  /// 2026-11-20T08:30:00Z in seconds since the epoch of FIT, 1989-12-31.
  static let begin: Int64 = 1_795_163_400 - 631_065_600

  /// A ride of four records, three of which have a position.
  static let sample: [UInt8] = {
    var writer = FITWriter()
    writer.define(0, message: 0, [(0, 1, 0)])
    writer.data(0, [(4, 1)])
    writer.define(
      1, position + [(78, 4, 0x86), (73, 4, 0x86), (3, 1, 2), (4, 1, 2), (7, 2, 0x84), (13, 1, 1), (5, 4, 0x86), (31, 1, 2)],
      developer: [2, 3])
    func values(_ second: Int64, _ latitude: Double?, _ heart: Int64) -> [(Int64, Int)] {
      [
        (begin + second, 4), (latitude.map(semicircles) ?? 0x7FFF_FFFF, 4), (semicircles(-14), 4), (6000, 4), (5500, 4),
        (heart, 1),
        (80, 1), (210, 2), (-3, 1), (1250, 4), (4, 1),
      ]
    }
    writer.data(1, values(0, 45.4, 121), developer: [1, 2, 3, 4, 5])
    writer.data(1, values(1, nil, 122), developer: [1, 2, 3, 4, 5])
    writer.data(1, values(2, -45.4, 255), developer: [1, 2, 3, 4, 5])
    writer.define(2, Array(position.dropFirst()), isBigEndian: true)
    writer.compressed(2, offset: UInt8((begin + 20) & 0x1F), [(semicircles(45.5), 4), (semicircles(14.5), 4)])
    return writer.file()
  }()
}
