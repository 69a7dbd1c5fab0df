internal import GodwitModel
internal import GodwitText
internal import GodwitWire

/// Writes lines in the format of OwnTracks' recorder: the time, an asterisk and the message, separated by tabs.
enum OwnTracksLineWriter {
  static func append(_ record: Record, device: String, into bytes: inout [UInt8]) {
    bytes.append(contentsOf: RFC3339.string(record.time, .seconds).utf8)
    JSONWriter.raw("\t*                 \t", to: &bytes)
    OwnTracks.write(record, topic: OwnTracks.topic(user: nil, device: device), into: &bytes)
    bytes.append(0x0A)
  }
}
