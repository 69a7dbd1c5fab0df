internal import GodwitEngine
public import GodwitModel
internal import GodwitWire

/// The format of Wolfram Data Drop: one form for each request. The address contains the bin: `…/api/v1.0/Add?bin=ID`.
public struct DataDropFormat: EndpointFormat {
  public init() {}

  public var maximumPerRequest: Int { 1 }
  public var authentication: EndpointAuthentication { .bearer }
  public func carries(_ record: Record) -> Bool { DataDrop.carries(record) }

  public func message(_ batch: OutgoingBatch) -> EndpointMessage {
    var message = EndpointMessage()
    message.contentType = "application/x-www-form-urlencoded"
    if let record = batch.records.last { DataDrop.write(record, into: &message.body) }
    return message
  }

  public func response(status: Int, body: [UInt8]) -> UploadResponse { .byStatus(status, body: body) }
}
