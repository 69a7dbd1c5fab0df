package import GodwitModel
package import GodwitText
internal import GodwitWire

extension StoredRegion {
  /// The decoded region.
  /// - Throws: a fault of the stored text.
  package func region() throws(FormatError) -> Region { try Self.region(json: json) }

  /// The region of a stored text.
  /// - Throws: a fault of the text.
  package static func region(json: [UInt8]) throws(FormatError) -> Region { try RegionJSON.readStored(json) }
}
