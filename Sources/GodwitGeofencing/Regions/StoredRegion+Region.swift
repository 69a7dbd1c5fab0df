package import GodwitModel
package import GodwitText
internal import GodwitWire

extension StoredRegion {
  /// The region itself.
  /// - Throws: what is wrong with the text, which only this store has written.
  package func region() throws(FormatError) -> Region { try RegionJSON.readStored(json) }
}
