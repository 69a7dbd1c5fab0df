/// The ids and names of regions in a compact form, in the order of the ids. Each text is stored without the prefix that it shares with the
/// previous one. Every eighth text is stored whole, so that access reads at most eight texts. Each entry also has a number.
///
/// Ids with a counter or a common word need two to four bytes instead of twelve; random ids need one byte more than their length.
struct RegionTexts: Sendable {
  private(set) var count = 0
  /// For each region: the length of the prefix that its id shares with the previous id, the length of the remaining bytes, and
  /// these bytes; the same for the name; and the number.
  private var bytes: [UInt8] = []
  /// The offset of every eighth entry. The total size is limited to 4 GB.
  private var starts: [UInt32] = []
  /// The last entry that was added.
  private var last = Entry()

  private static let whole = 8

  /// Texts as UTF-8.
  struct Entry: Sendable {
    var id: [UInt8] = []
    var name: [UInt8] = []
    var number = 0
  }

  /// - Parameter capacity: the expected number of regions.
  init(capacity: Int) { starts.reserveCapacity((capacity + Self.whole - 1) / Self.whole) }

  /// Adds an entry.
  /// - Parameters:
  ///   - id: the id. It must not be before the previous one.
  ///   - name: the name of the region.
  ///   - number: a number, ≥ 0.
  mutating func append(id: String, name: String, number: Int) {
    if count.isMultiple(of: Self.whole) {
      starts.append(UInt32(bytes.count))
      last = Entry()
    }
    let entry = Entry(id: Array(id.utf8), name: Array(name.utf8), number: number)
    write(entry.id, after: last.id)
    write(entry.name, after: last.name)
    write(number)
    last = entry
    count += 1
  }

  /// Ends the adding of entries.
  mutating func close() { last = Entry() }

  func id(_ position: Int) -> String {
    if position.isMultiple(of: Self.whole) { return first(of: position / Self.whole) }
    var (id, place) = ([UInt8](), Int(starts[position / Self.whole]))
    readText(&id, &place)
    for _ in 0..<position % Self.whole {
      skipRest(&place)
      readText(&id, &place)
    }
    return String(decoding: id, as: UTF8.self)
  }

  /// Returns the first id of a group of eight, which is stored whole.
  private func first(of group: Int) -> String {
    var place = Int(starts[group])
    _ = readNumber(&place)
    let length = readNumber(&place)
    return String(decoding: bytes[place..<place + length], as: UTF8.self)
  }

  subscript(position: Int) -> Entry {
    var entry = Entry()
    var place = Int(starts[position / Self.whole])
    for _ in 0...position % Self.whole { read(&entry, &place) }
    return entry
  }

  /// Returns the position of an id; `nil`: there is none.
  func position(_ id: String) -> Int? {
    let group = RegionCatalogue.first(starts.count) { first(of: $0) > id } - 1
    guard group >= 0 else { return nil }
    var (other, place) = ([UInt8](), Int(starts[group]))
    for position in group * Self.whole..<min((group + 1) * Self.whole, count) {
      readText(&other, &place)
      if String(decoding: other, as: UTF8.self) == id { return position }
      skipRest(&place)
    }
    return nil
  }

  // MARK: Bytes

  private mutating func write(_ text: [UInt8], after last: [UInt8]) {
    var shared = 0
    while shared < text.count, shared < last.count, text[shared] == last[shared] { shared += 1 }
    write(shared)
    write(text.count - shared)
    bytes.append(contentsOf: text[shared...])
  }

  /// Writes a number with seven bits in each byte, the lowest first. The eighth bit means that more bytes follow.
  private mutating func write(_ number: Int) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// Changes an entry to the next one.
  private func read(_ entry: inout Entry, _ place: inout Int) {
    readText(&entry.id, &place)
    readText(&entry.name, &place)
    entry.number = readNumber(&place)
  }

  private func readText(_ text: inout [UInt8], _ place: inout Int) {
    text.removeLast(text.count - readNumber(&place))
    let length = readNumber(&place)
    text.append(contentsOf: bytes[place..<place + length])
    place += length
  }

  /// Skips the name and the number after an id.
  private func skipRest(_ place: inout Int) {
    _ = readNumber(&place)
    let length = readNumber(&place)
    place += length
    _ = readNumber(&place)
  }

  private func readNumber(_ place: inout Int) -> Int {
    var (number, shift) = (0, 0)
    while true {
      let byte = bytes[place]
      place += 1
      number |= Int(byte & 0x7F) << shift
      if byte < 0x80 { return number }
      shift += 7
    }
  }
}
