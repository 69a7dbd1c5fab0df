internal import GodwitEngine
public import GodwitModel
internal import GodwitWire

/// The format of query strings: one position for each request, in the query of the address and without a body. For Traccar's
/// OsmAnd port and for small scripts. In an address with placeholders (`%LAT`) these are replaced instead.
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
