package import GodwitFormats
package import GodwitModel

/// The languages that regions come and go in.
package enum RegionLanguage: String, Sendable, CaseIterable {
  case json

  package var contentType: String { "application/json" }
  package var fileEnding: String { "json" }

  /// The regions as a document.
  package func text(_ regions: [Region]) -> [UInt8] {
    var text: [UInt8] = []
    RegionJSON.write(regions, into: &text)
    return text
  }

  /// Reads a document.
  package static func read(_ bytes: [UInt8], contentType: String?) throws(FormatError) -> [Region] {
    try RegionJSON.read(bytes)
  }
}

extension StoredRegion {
  /// The region itself.
  /// - Throws: what is wrong with the text, which nobody but this store has written.
  package func region() throws(FormatError) -> Region { try RegionJSON.readStored(json) }
}
