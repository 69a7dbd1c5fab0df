internal import Foundation
internal import GodwitEngine
public import GodwitModel
internal import GodwitWire

/// The format of OwnTracks over HTTP: one location or transition for each request. The user and the device are in headers and in
/// the topic. Home Assistant and the recorder respond with an array of messages, which contains nothing about the location; other
/// servers respond without a body. Any status 2xx is a success, except with a web page, which comes from a login or a captive
/// portal.
public struct OwnTracksFormat: EndpointFormat {
  public init() {}

  public var maximumPerRequest: Int { 1 }
  public var authentication: EndpointAuthentication { .basic }
  public func carries(_ record: Record) -> Bool { OwnTracks.carries(record) }

  public func message(_ batch: OutgoingBatch) -> EndpointMessage {
    var message = EndpointMessage()
    message.contentType = "application/json"
    // A token without a name is a secret, and servers store and show the topic.
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
