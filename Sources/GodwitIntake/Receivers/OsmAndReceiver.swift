internal import Foundation
internal import GodwitAccess
package import GodwitAccounts
package import GodwitHTTP
internal import GodwitModel
internal import GodwitSecrets
internal import GodwitServices
internal import GodwitStore
internal import GodwitText
package import GodwitWire

/// Receives positions in URLs, forms and small JSON bodies: from OsmAnd, Traccar Client, GPSLogger, µlogger and PhoneTrack.
///
/// These clients retry after every answer that is not 2xx, and later records wait until the retry succeeds. Therefore an upload of
/// a known device always succeeds, and invalid records are stored as rejected records. An upload of an unknown device is rejected,
/// and the client retries until it is configured.
package struct OsmAndReceiver {
  package let receiving: Receiving
  /// Finds the device of a token in the body.
  package let tokens: TokenCache
  /// The unit of `speed`.
  package var speed: OsmAnd.Speed
  /// The name of the device in the URL.
  package var label: String?
  /// The success answer that the client expects.
  package var success = HTTPResponse.empty

  package init(
    receiving: Receiving, tokens: TokenCache, speed: OsmAnd.Speed, label: String? = nil,
    success: HTTPResponse = HTTPResponse.empty
  ) {
    self.receiving = receiving
    self.tokens = tokens
    self.speed = speed
    self.label = label
    self.success = success
  }

  /// Maximum bytes of a body when the request itself has no token, so that the body must identify the device.
  package static let maximumUnknownBody = 64 << 10

  package func respond(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let received = receiving.store.clock.now
    let origin = RejectedRecordOrigin(speed == .knots ? .osmand : .gpslogger, label: label)
    let query = request.queryItems.filter { !OsmAnd.secretNames.contains($0.name.lowercased()) }
    let sent = request.takeBody()
    let form = PostedForm(request.header("Content-Type"))
    if !sent.isEmpty, case .other(let type) = form { throw PostedForm.rejection(of: type) }
    let maximumRecords = RequestBody.maximumRecords(sent, encoding: request.header("Content-Encoding"))
    var (places, rejected): (OsmAnd.Request, RejectedRecord?) = (OsmAnd.Request(), nil)
    var text = sent
    // The error if the request exceeds the maximum number of records.
    var limit: FormatError?
    do throws(Problem) {
      let body = try receiving.decoded(sent, of: request)
      do throws(FormatError) {
        text = try form.text(query, body)
        places = try OsmAnd.read(text, speed: speed, received: received, maximumRecords: maximumRecords)
      } catch {
        rejected = RejectedRecord(place: error.place.description, reason: error.reason, raw: text, origin: origin.whole())
        if error.isLimit { limit = error }
      }
    } catch {
      rejected = RejectedRecord(
        place: "body", reason: error.detail, raw: sent, origin: origin.whole(encoding: request.header("Content-Encoding")))
    }
    let name = places.device ?? query.first { ["id", "deviceid"].contains($0.name.lowercased()) }?.value
    var secrets = [request.secret].compactMap(\.self)
    if request.device == nil {
      guard let name else { throw Self.tokenNeeded }
      do { request.device = try tokens.device(for: AccessToken(name)) } catch {
        throw Intake.unavailable(error)
      }
      guard request.device != nil else { throw Self.unknown }
      secrets.append(name)
    }
    guard let device = request.device else { throw Self.tokenNeeded }
    for index in places.batch.records.indices {
      let said = places.batch.records[index].context.deviceID ?? name
      let isSecret = said.map { secrets.contains($0) } ?? true
      places.batch.records[index].context.deviceID = label ?? (isSecret ? nil : said)
    }
    var rejections = places.batch.rejected.map { RejectedRecord($0, from: origin) } + [rejected].compactMap(\.self)
    for secret in secrets { rejections = rejections.map { $0.without(secret) } }
    if let broken = places.batch.broken, broken.isLimit { limit = broken }
    let response = limit.map { Problem($0, "").response } ?? success
    guard !places.batch.records.isEmpty || !rejections.isEmpty else { return .now(response) }
    let intake = Intake(receiving: receiving, request: request, device: device, received: received, origin: origin)
    return intake.submit(places.batch.records, rejections) { (_) -> HTTPResponse in response }
  }

  private static let tokenNeeded = Problem(
    401, "Access token needed",
    "Put the device's token at the end of the address, /api/osmand/TOKEN, or enter it as the app's device identifier. "
      + "`godwit device add NAME` creates one.")

  private static let unknown = Problem(
    401, "Unknown device",
    "The device identifier is not a device's token, or it was revoked. Enter the token that `godwit device add NAME` printed as the "
      + "identifier, or put it at the end of the address, /api/osmand/TOKEN; then the identifier may be any name.")
}

extension HTTPResponse {
  /// A success with an empty body.
  package static let empty = HTTPResponse.text("")
}
