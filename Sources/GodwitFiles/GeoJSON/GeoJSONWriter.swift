public import GodwitModel
internal import GodwitText
internal import GodwitWire

/// Writes records as a GeoJSON feature collection (RFC 7946), one feature on a line. The properties are those of Overland,
/// so that exported records can be uploaded again.
public struct GeoJSONWriter {
  private var hasFeatures = false

  /// The member that identifies an export of Godwit.
  static let generator = "Godwit"

  public init() {}

  /// Appends the beginning of the collection.
  public func header(into bytes: inout [UInt8]) {
    JSONWriter.raw("{\"type\":\"FeatureCollection\",\"generator\":\"Godwit\",\"features\":[\n", to: &bytes)
  }

  /// Appends a record. - Parameter device: the value of the property `device`; `nil` to omit it.
  public mutating func append(_ record: Record, device: String? = nil, into bytes: inout [UInt8]) {
    if hasFeatures { JSONWriter.raw(",\n", to: &bytes) }
    hasFeatures = true
    Overland.writeFeature(record, device: device, into: &bytes)
  }

  /// Appends the end of the collection.
  public func footer(into bytes: inout [UInt8]) { JSONWriter.raw("\n]}\n", to: &bytes) }
}
