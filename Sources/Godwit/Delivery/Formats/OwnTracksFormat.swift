internal import Foundation
internal import GodwitEngine
internal import GodwitFormats
public import GodwitModel

/// OwnTracks over HTTP: a location a request, user and device in headers and in the topic. Home Assistant and the
/// recorder answer with an array of messages, which says nothing of the location; any 2xx is success.
public struct OwnTracksFormat: EndpointFormat {
  public init() {}

  public var mostPerRequest: Int { 1 }
  public var authentication: EndpointAuthentication { .basic }
  public func carries(_ record: Record) -> Bool { OwnTracks.carries(record) }

  public func message(_ batch: OutgoingBatch) -> EndpointMessage {
    var message = EndpointMessage()
    message.contentType = "application/json"
    let user = batch.token.map { String($0.prefix { $0 != ":" }) }
    let topic = OwnTracks.topic(user: user, device: batch.deviceID)
    let parts = topic.split(separator: "/", maxSplits: 2)
    if parts.count == 3 { message.headers = ["X-Limit-U": String(parts[1]), "X-Limit-D": String(parts[2])] }
    if let record = batch.records.last { OwnTracks.write(record, topic: topic, into: &message.body) }
    return message
  }

  public func verdict(status: Int, body: [UInt8]) -> Verdict { .byStatus(status) }
}
