internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
package import GodwitHTTP
internal import GodwitModel
internal import GodwitServices
internal import GodwitStore
internal import GodwitWire

/// Receives OwnTracks uploads over HTTP, and answers after the commit.
package struct OwnTracksReceiver {
  package let receiving: Receiving
  package let inbox: OwnTracksInbox
  /// The name of the device in the URL.
  package var label: String?

  package init(receiving: Receiving, inbox: OwnTracksInbox, label: String? = nil) {
    self.receiving = receiving
    self.inbox = inbox
    self.label = label
  }

  /// Maximum regions that are sent to an app. Android monitors 100 for an app, iOS 20. If a device has more regions, none are sent,
  /// and the server evaluates its positions.
  package static let maximumRegions = 100

  package func respond(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    guard let device = request.device else {
      throw Problem(
        401, "Access token needed",
        "Enter the device's token as the "
          + "password in the app's settings.")
    }
    let received = receiving.store.clock.now
    let sent = request.takeBody()
    let sender = OwnTracksInbox.Sender(device: device, label: Self.label(request) ?? label, agent: request.header("User-Agent"))
    let finish: @Sendable (Result<OwnTracksInbox.Response, any Error>) -> Void = { result in
      switch result {
      case .success(let reply): request.finish(Self.response(reply))
      case .failure(let error): request.finish(Intake.unavailable(error).response)
      }
    }
    let body: Result<[UInt8], Problem>
    do throws(Problem) { body = .success(try receiving.decoded(sent, of: request)) } catch { body = .failure(error) }
    if let rejection = request.suspend() { return .now(rejection) }
    switch body {
    case .success(let body):
      let maximum = RequestBody.maximumRecords(sent, encoding: request.header("Content-Encoding"))
      inbox.handle(body, maximumMessages: maximum, from: sender, at: received, finish)
    case .failure(let problem):
      inbox.quarantine(
        sent, because: problem, encoding: request.header("Content-Encoding"), from: sender, at: received, finish)
    }
    return .later
  }

  /// The names that the app uses for user and device: from headers, otherwise from the URL.
  private static func label(_ request: HTTPRequest) -> String? {
    func value(_ header: String, _ name: String) -> String? {
      [request.header(header), request.query[name]].compactMap(\.self).first { !$0.isEmpty }
    }
    guard let device = value("X-Limit-D", "d") else { return nil }
    return value("X-Limit-U", "u").map { "\($0)/\(device)" } ?? device
  }

  private static func response(_ reply: OwnTracksInbox.Response) -> HTTPResponse {
    if let problem = reply.problem { return problem.response }
    // Overland expects this object, and treats an array as a failure.
    if reply.isOverland { return .json(Array(#"{"result":"ok"}"#.utf8)) }
    let text = [UInt8(ascii: "[")] + reply.messages.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")]
    guard let key = reply.key else { return .json(text) }
    // A single object, as in the answers of the OwnTracks recorder and Home Assistant.
    var sealed: [UInt8] = []
    OwnTracks.writeEncrypted(key.seal(text), into: &sealed)
    return .json(sealed)
  }
}
