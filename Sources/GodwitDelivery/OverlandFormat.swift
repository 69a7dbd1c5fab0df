internal import Foundation
internal import GodwitEngine
internal import GodwitHTTPClient
public import GodwitModel
public import GodwitWire

/// The format of Overland.
public struct OverlandFormat: EndpointFormat {
  public var profile: Overland.Profile
  /// Whether any status 2xx is a success, even without `{"result":"ok"}`.
  public var acceptsAny2xx: Bool

  public init(profile: Overland.Profile = .precise, acceptsAny2xx: Bool = false) {
    self.profile = profile
    self.acceptsAny2xx = acceptsAny2xx
  }

  public var maximumPerRequest: Int { 1000 }
  public var authentication: EndpointAuthentication { .bearer }
  public func carries(_ record: Record) -> Bool { true }

  public func message(_ batch: OutgoingBatch) -> EndpointMessage {
    var message = EndpointMessage()
    message.contentType = "application/json"
    Overland.write(
      Self.counted(batch.records), current: batch.current, trip: batch.trip.map { Self.text($0, profile) }, profile: profile,
      into: &message.body)
    return message
  }

  public func response(status: Int, body: [UInt8]) -> UploadResponse {
    // Without the acknowledgement of the protocol the status decides, but a web page is never a success.
    if HTTPClient.Response.beginsLikePage(body), case .failed(let reason) = UploadResponse.byStatus(status, body: body) {
      return .failed(reason: reason)
    }
    return switch Overland.Response.read(status: status, body: body, acceptsAny2xx: acceptsAny2xx) {
    case .accepted(let said):
      .accepted(rejected: said.rejected, settings: said.settings, placeName: said.placeName, regions: said.regions)
    case .rejected(let reason):
      switch status {
      case 401, 403: .unauthorized(reason: reason)
      case 400, 413, 422: .rejected(reason: reason)
      default: .failed(reason: reason)
      }
    }
  }

  /// Sets Overland's `locations_in_payload`, the number of locations in a request. The number is known only when the request is
  /// encoded.
  private static func counted(_ records: [Record]) -> [Record] {
    let member = #""locations_in_payload":"#
    return records.map { record in
      guard let extras = record.extras, let name = extras.range(of: member) else { return record }
      let rest = extras[name.upperBound...].drop { $0.isNumber }
      var record = record
      record.extras = extras[..<name.upperBound] + String(records.count) + rest
      return record
    }
  }

  private static func text(_ trip: RunningTrip, _ profile: Overland.Profile) -> String {
    Overland.trip(
      start: trip.start, mode: trip.mode.rawValue, distance: trip.distance, startFix: trip.startFix,
      currentFix: trip.lastFix, profile: profile)
  }
}
