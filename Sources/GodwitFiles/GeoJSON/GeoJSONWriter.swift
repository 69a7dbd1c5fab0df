public import GodwitModel
internal import GodwitText
internal import GodwitWire

/// Writes records as a GeoJSON feature collection (RFC 7946), one feature on a line. The properties are those of
/// Overland, so that what was received can be sent again.
public struct GeoJSONWriter {
  private var hasFeatures = false

  /// By what an export of ours is known.
  static let generator = "Godwit"

  public init() {}

  /// The beginning.
  public func header(into bytes: inout [UInt8]) {
    JSONWriter.raw("{\"type\":\"FeatureCollection\",\"generator\":\"Godwit\",\"features\":[\n", to: &bytes)
  }

  /// One record. - Parameter device: written as the property `device`.
  public mutating func append(_ record: Record, device: String? = nil, into bytes: inout [UInt8]) {
    if hasFeatures { JSONWriter.raw(",\n", to: &bytes) }
    hasFeatures = true
    Overland.writeFeature(record, device: device, into: &bytes)
  }

  /// The end.
  public func footer(into bytes: inout [UInt8]) { JSONWriter.raw("\n]}\n", to: &bytes) }
}
