internal import Foundation
internal import GodwitEngine
public import GodwitModel
internal import GodwitWire

/// OwnTracks over HTTP: a location or a transition a request, user and device in headers and in the topic. Home Assistant and the
/// recorder answer with an array of messages, which says nothing of the location, others with nothing: any 2xx is
/// success, but for a page, which comes from a login or from the wifi of a hotel.
public struct OwnTracksFormat: EndpointFormat {
  public init() {}

  public var maximumPerRequest: Int { 1 }
  public var authentication: EndpointAuthentication { .basic }
  public func carries(_ record: Record) -> Bool { OwnTracks.carries(record) }

  public func message(_ batch: OutgoingBatch) -> EndpointMessage {
    var message = EndpointMessage()
    message.contentType = "application/json"
    // A token without a name before it is a secret, and the topic is written down and shown to others.
    let user = batch.token.flatMap { token in token.firstIndex(of: ":").map { String(token[..<$0]) } }
    let topic = OwnTracks.topic(user: user, device: batch.deviceID)
    let parts = topic.split(separator: "/", maxSplits: 2)
    if parts.count == 3, !topic.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
      message.headers = ["X-Limit-U": String(parts[1]), "X-Limit-D": String(parts[2])]
    }
    if let record = batch.records.last { OwnTracks.write(record, topic: topic, into: &message.body) }
    return message
  }

  public func response(status: Int, body: [UInt8]) -> UploadResponse {
    if (200..<300).contains(status), body.first(where: { $0 > 0x20 }) == UInt8(ascii: "<") {
      return .failed(
        reason: "The server answered with status \(status) and a page. Is this an OwnTracks endpoint, and is a login needed?")
    }
    return .byStatus(status, body: body)
  }
}
