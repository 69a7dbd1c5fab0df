package import GodwitModel
internal import GodwitText

/// Splits a region's extras into members, for formats that write each member separately.
package enum ExtrasMembers {
  package struct Member {
    package var name: String
    /// The text `"name":value` in the extras.
    package var text: [UInt8]
    /// The value if it is a string and the member has the form that ``JSONWriter`` writes; else `nil`.
    package var string: String?
  }

  /// Returns the members; empty without extras, or if the text is not an object.
  package static func of(_ region: Region) -> [Member] {
    guard var bytes = region.extras.flatMap({ JSONObjectText.compacted($0) }) else { return [] }
    let count = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: JSONReader.padding))
    return bytes.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return [] }
      var json = JSONReader(base: base, count: count)
      json.position = 1
      var members: [Member] = []
      do throws(JSONReader.Fault) {
        repeat {
          let start = json.position
          let key = try json.key()
          var member = Member(name: json.decoded(key), text: [])
          if try json.kind() == .string {
            let text = json.decoded(try json.string())
            var same: [UInt8] = []
            JSONWriter.string(member.name, to: &same)
            same.append(UInt8(ascii: ":"))
            JSONWriter.string(text, to: &same)
            if same.elementsEqual(buffer[start..<json.position]) { member.string = text }
          } else {
            try json.skipValue()
          }
          member.text = Array(buffer[start..<json.position])
          members.append(member)
        } while try json.hasMore(closing: UInt8(ascii: "}"))
      } catch { return [] }
      return members
    }
  }

  /// Appends the extras to an object that already has members: each as a member of the object, or all of them as the member
  /// `extras` if one has the name of a known member.
  static func write(_ region: Region, beside names: [StaticString], into bytes: inout [UInt8]) {
    let members = of(region)
    guard !members.isEmpty else { return }
    if members.contains(where: { member in member.name == "extras" || names.contains { $0.description == member.name } }) {
      JSONWriter.raw(#","extras":{"#, to: &bytes)
      bytes.append(contentsOf: members.map(\.text).joined(separator: [UInt8(ascii: ",")]))
      bytes.append(UInt8(ascii: "}"))
    } else {
      for member in members {
        bytes.append(UInt8(ascii: ","))
        bytes.append(contentsOf: member.text)
      }
    }
  }
}
