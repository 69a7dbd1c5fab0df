package import GodwitModel
internal import GodwitWire

/// Writes a point in the form of the API: Overland's feature with the name of the device.
package enum PointFeature {
  package static func write(_ record: Record, device: String, into bytes: inout [UInt8]) {
    Overland.writeFeature(record, device: device, into: &bytes)
  }
}
