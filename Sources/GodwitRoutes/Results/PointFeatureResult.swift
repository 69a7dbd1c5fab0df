internal import GodwitAccess
package import GodwitHTTP
package import GodwitModel

/// A point as returned by the API: a GeoJSON feature with Overland's member names.
package struct PointFeatureResult: Codable, Sendable, DocumentedValue, JSONWritable {
  private let text: String

  /// - Parameter device: Name of the point's device.
  package init(_ record: Record, device: String) {
    var bytes: [UInt8] = []
    PointFeature.write(record, device: device, into: &bytes)
    text = String(decoding: bytes, as: UTF8.self)
  }

  private init(text: String) { self.text = text }

  package static func schema(in components: SchemaComponents) -> JSONValue {
    let properties: JSONValue = [
      "type": "object", "properties": ["timestamp": ["type": "string", "format": "date-time"]], "required": ["timestamp"],
      "description": "Overland's members, and other members of the sender.",
    ]
    return components.named(
      "PointFeature", GeoJSON.feature(GeoJSON.geometry("Point", coordinates: GeoJSON.position(in: components)), properties))
  }
  package static var sample: Self { Self(text: "") }
  package func write(to bytes: inout [UInt8]) { bytes += Array(text.utf8) }
}
