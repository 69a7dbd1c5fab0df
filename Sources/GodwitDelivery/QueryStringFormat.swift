internal import GodwitEngine
public import GodwitModel
internal import GodwitWire

/// A place a request, in the address's query and without a body: for Traccar's OsmAnd port, and for scripts of a few
/// lines. An address with places of its own (`%LAT`) is filled instead.
public struct QueryStringFormat: EndpointFormat {
  public init() {}

  public var maximumPerRequest: Int { 1 }
  public var authentication: EndpointAuthentication { .bearer }
  public func carries(_ record: Record) -> Bool { QueryString.carries(record) }

  public func message(_ batch: OutgoingBatch) -> EndpointMessage {
    var message = EndpointMessage()
    message.method = "GET"
    if let record = batch.records.last { message.query = QueryString.encoded(QueryString.items(record)) }
    return message
  }

  public func response(status: Int, body: [UInt8]) -> UploadResponse { .byStatus(status, body: body) }
}
