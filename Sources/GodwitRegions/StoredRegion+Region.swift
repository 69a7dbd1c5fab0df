package import GodwitModel
package import GodwitText
internal import GodwitWire

extension StoredRegion {
  /// Decodes the region.
  /// - Throws: `FormatError` if the stored text is invalid.
  package func region() throws(FormatError) -> Region { try Self.region(json: json) }

  /// Decodes the region of a stored text.
  /// - Throws: `FormatError` if the text is invalid.
  package static func region(json: [UInt8]) throws(FormatError) -> Region { try RegionJSON.readStored(json) }
}
