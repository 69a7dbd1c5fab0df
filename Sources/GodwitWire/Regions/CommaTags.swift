internal import GodwitModel
internal import GodwitText

/// Parses a list of tags separated by commas.
package enum CommaTags {
  package struct TagFault: Error {
    package var reason: String
  }

  package static func read(_ text: String) -> Result<[String], TagFault> {
    var tags: [String] = []
    for part in text.split(separator: ",") {
      let tag = part.trimmed
      if tag.isEmpty || tags.contains(tag) { continue }
      if let reason = RegionValues.tag(tag) { return .failure(TagFault(reason: reason)) }
      tags.append(tag)
    }
    guard RegionRules.tagCount.contains(tags.count) else {
      return .failure(TagFault(reason: "there are too many; expected \(RegionRules.Member.tags.expected)"))
    }
    return .success(tags)
  }
}
