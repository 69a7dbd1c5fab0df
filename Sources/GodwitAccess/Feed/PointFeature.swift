package import GodwitModel
internal import GodwitWire

/// A point as the API shows it: Overland's feature with the name of its device.
package enum PointFeature {
  package static func write(_ record: Record, device: String, into bytes: inout [UInt8]) {
    Overland.writeFeature(record, device: device, into: &bytes)
  }
}
