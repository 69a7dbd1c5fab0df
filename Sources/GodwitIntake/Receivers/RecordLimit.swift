package import GodwitHTTP
internal import GodwitWire

extension RequestBody {
  /// Records of a small compressed body: 64 KiB have 4,400 where a device moves or its receiver has noise, and 10,000 where it stays
  /// at the same place.
  package static let smallRecords = 20_000

  /// Records that a request may have.
  /// - Parameters:
  ///   - body: as it came.
  ///   - encoding: the header `Content-Encoding`.
  package static func maximumRecords(_ body: [UInt8], encoding: String?) -> Int {
    isPacked(encoding) && body.count <= smallSize ? smallRecords : RecordBatch.maximumRecords
  }
}
