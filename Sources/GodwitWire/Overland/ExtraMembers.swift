/// Appends the members of a record's extras to the properties of a feature.
///
/// The extras may contain a name that the feature already has: a duplicate member of the client, or a known member with an
/// invalid value. Such a name is written with the prefix `sent_`, or with `sent_2_`, `sent_3_` … if that name exists too,
/// because a feature with duplicate names could not be read. Names that distinguish events from points also get the prefix.
/// A record with many members of one name therefore grows by at most ten bytes for each member.
enum ExtraMembers {
  private static let properties = Array("\"properties\":{".utf8)

  /// The names, with quotation marks, by which readers distinguish visits, trips and actions from points.
  private static let reserved: Set<[UInt8]> = Set(
    OverlandKey.allCases.filter(\.tellsEvents).map { Array("\"\($0.name)\"".utf8) })

  /// Appends the members, each with a leading comma.
  /// - Parameters:
  ///   - members: the text between the braces of a JSON object.
  ///   - start: the offset of the feature. Its properties are not closed yet.
  ///   - bytes: the buffer to which the members are appended.
  static func append(_ members: [UInt8], besides start: Int, to bytes: inout [UInt8]) {
    var taken = reserved
    if let begin = end(of: properties, in: bytes, from: start) {
      for member in split(bytes[begin...]) { if let name = name(of: member) { taken.insert(Array(name)) } }
    }
    // The last number of each name. A search from 2 for each member would take quadratic time.
    var numbers: [[UInt8]: Int] = [:]
    for member in split(members[...]) {
      bytes.append(UInt8(ascii: ","))
      guard let name = name(of: member), !taken.insert(Array(name)).inserted else {
        bytes.append(contentsOf: member)
        continue
      }
      var number = numbers[Array(name), default: 0]
      var other: [UInt8]
      repeat {
        number += 1
        other = Array((number == 1 ? "\"sent_" : "\"sent_\(number)_").utf8) + name.dropFirst()
      } while !taken.insert(other).inserted
      numbers[Array(name)] = number
      bytes.append(contentsOf: other)
      bytes.append(contentsOf: member[name.endIndex...])
    }
  }

  /// Returns the name of a member, with its quotation marks. A name with escapes equals none of the known names.
  private static func name(of member: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard let first = member.firstIndex(where: { $0 > 0x20 }), member[first] == UInt8(ascii: "\"") else { return nil }
    var index = first + 1
    while index < member.endIndex, member[index] != UInt8(ascii: "\"") {
      index += member[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return index < member.endIndex ? member[first...index] : nil
  }

  /// Splits the members of an object at the commas.
  private static func split(_ text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var found: [ArraySlice<UInt8>] = []
    var (begin, depth, isText) = (text.startIndex, 0, false)
    var index = text.startIndex
    while index < text.endIndex {
      let byte = text[index]
      if isText {
        if byte == UInt8(ascii: "\\") { index += 1 } else if byte == UInt8(ascii: "\"") { isText = false }
      } else {
        switch byte {
        case UInt8(ascii: "\""): isText = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
        case UInt8(ascii: ",") where depth == 0:
          found.append(text[begin..<index])
          begin = index + 1
        default: break
        }
      }
      index += 1
    }
    found.append(text[begin..<text.endIndex])
    return found.filter { $0.contains { $0 > 0x20 } }
  }

  private static func end(of word: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
    guard bytes.count >= start + word.count else { return nil }
    for index in start...(bytes.count - word.count) where bytes[index] == word[0] {
      if bytes[index..<(index + word.count)].elementsEqual(word) { return index + word.count }
    }
    return nil
  }
}
