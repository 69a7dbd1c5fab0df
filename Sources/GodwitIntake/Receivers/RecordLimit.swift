package import GodwitHTTP
internal import GodwitWire

extension RequestBody {
  /// Maximum records of a small compressed body. 64 KiB contain 4,400 records of a moving device or a noisy receiver, and 10,000 of
  /// a stationary device.
  package static let smallRecords = 20_000

  /// Maximum records of a request.
  /// - Parameters:
  ///   - body: the body as received.
  ///   - encoding: the header `Content-Encoding`.
  package static func maximumRecords(_ body: [UInt8], encoding: String?) -> Int {
    isCompressed(encoding) && body.count <= smallSize ? smallRecords : RecordBatch.maximumRecords
  }
}
