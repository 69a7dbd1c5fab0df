internal import Foundation
internal import GodwitEngine
public import GodwitModel
public import GodwitWire

/// The format of OpenLocate. Any status 2xx is a success, except with a web page. The rest of the response is ignored.
public struct OpenLocateFormat: EndpointFormat {
  public var fields: CollectingFields
  public var numbers: OpenLocate.Numbers

  public init(fields: CollectingFields = .all, numbers: OpenLocate.Numbers = .numbers) {
    self.fields = fields
    self.numbers = numbers
  }

  public var maximumPerRequest: Int { 1000 }
  public var authentication: EndpointAuthentication { .bearer }
  public func carries(_ record: Record) -> Bool { OpenLocate.carries(record) }

  public func message(_ batch: OutgoingBatch) -> EndpointMessage {
    var message = EndpointMessage()
    message.contentType = "application/json"
    OpenLocate.write(batch.records, fields: fields, numbers: numbers, into: &message.body)
    return message
  }

  public func response(status: Int, body: [UInt8]) -> UploadResponse { .byStatus(status, body: body) }
}
