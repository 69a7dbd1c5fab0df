package import GodwitModel
package import GodwitText
internal import GodwitWire

extension StoredRegion {
  /// The decoded region.
  /// - Throws: a fault of the stored text.
  package func region() throws(FormatError) -> Region { try RegionJSON.readStored(json) }
}
