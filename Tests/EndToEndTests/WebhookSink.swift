import Foundation
import GodwitServer
import Synchronization
import Testing

/// A server that receives and records webhook deliveries.
final class WebhookSink: Sendable {
  struct Delivery: Sendable {
    var event: String
    var signature: String
    var body: [UInt8]
    var status: Int
    var object: [String: Any] { (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any] ?? [:] }

    /// Returns whether the signature matches the one that OpenSSL computes.
    func isSigned(with secret: String, in folder: TemporaryFolder) throws -> Bool {
      let parts = signature.split(separator: ",").map { String($0.split(separator: "=")[1]) }
      let file = folder.path("signed")
      try Data("\(parts[0]).".utf8 + body).write(to: URL(fileURLWithPath: file))
      let digest = try Executable.run(
        try #require(Executable.find("openssl")), ["dgst", "-sha256", "-hmac", secret, "-r", file])
      return digest.text.hasPrefix(parts[1] + " ")
    }
  }

  private final class Box: Sendable { let deliveries = Mutex<[Delivery]>([]) }
  private let box = Box()
  private let server: HTTPServer
  let port: UInt16

  /// - Parameter status: returns the status of the response to the delivery with a number, from 1.
  init(_ status: @escaping @Sendable (Int) -> Int) throws {
    let box = box
    server = HTTPServer(
      configuration: HTTPServer.Configuration(address: try #require(ListenAddress("127.0.0.1:0"))),
      handler: HTTPServer.Handler(
        accept: { _ in nil },
        respond: { request in
          let status = box.deliveries.withLock { deliveries in
            let status = status(deliveries.count + 1)
            deliveries.append(
              Delivery(
                event: request.header("Godwit-Event-ID") ?? "", signature: request.header("Godwit-Signature") ?? "",
                body: request.takeBody(), status: status))
            return status
          }
          return .now(.json([], status: status))
        }))
    port = try server.start()
  }

  var deliveries: [Delivery] { box.deliveries.withLock { $0 } }
  var accepted: [Delivery] { deliveries.filter { $0.status == 200 } }

  func stop() async {
    server.beginStopping()
    await server.stop(within: 1)
  }
}
