/// The ids and names of regions in little memory, in the order of the ids: of each text only what follows the beginning that it
/// shares with the one before it. Every eighth is whole, so that nobody has to read more than eight to know one. With each goes a
/// number.
///
/// Ids that were counted up or have a word in common take two to four bytes instead of a dozen; those made by chance take one more
/// than they have.
struct RegionTexts: Sendable {
  private(set) var count = 0
  /// For each region the length that its id shares with the id before it, the length of what follows, and that; the same of the
  /// name; and the number.
  private var bytes: [UInt8] = []
  /// Where every eighth begins; up to 4 GB.
  private var starts: [UInt32] = []
  /// The last one that was added.
  private var last = Entry()

  private static let whole = 8

  /// Texts as UTF-8.
  struct Entry: Sendable {
    var id: [UInt8] = []
    var name: [UInt8] = []
    var number = 0
  }

  /// - Parameter capacity: how many regions are expected.
  init(capacity: Int) { starts.reserveCapacity((capacity + Self.whole - 1) / Self.whole) }

  /// - Parameters:
  ///   - id: not before the one that was added last.
  ///   - name: belongs to it.
  ///   - number: ≥ 0.
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

  /// No more is added.
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

  /// The id of every eighth, which is whole.
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

  /// The position of an id.
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

  /// Seven bits a byte, the lowest first; the eighth says that more come.
  private mutating func write(_ number: Int) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// Makes of an entry the next one.
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

  /// Skips the name and the number behind an id.
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
