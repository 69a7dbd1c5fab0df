internal import Foundation
internal import Synchronization

/// A request of this process to a server in it.
public struct LocalRequest: Sendable {
  public var method: String
  /// Percent-decoded.
  public var path: String
  public var query: [String: String]
  public var headers: [String: String]
  public var body: [UInt8]

  public init(
    method: String = "POST", path: String, query: [String: String] = [:], headers: [String: String] = [:], body: [UInt8] = []
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.headers = headers
    self.body = body
  }
}

/// The answer to it.
public struct LocalAnswer: Sendable {
  public var status: Int
  /// Names in small letters.
  public var headers: [String: String]
  /// Empty where the answer would be a stream of events.
  public var body: [UInt8]
}

/// The server without a network: the same routes, tokens, decoders and store, for a phone that is simulated in this process.
/// It listens nowhere.
public final class LocalServer: Sendable {
  private let server: Server
  private let http: HTTPServer

  /// - Parameter server: whose ``Server/run(listening:)`` is not called.
  public init(_ server: Server) {
    self.server = server
    let routes = Routes(server)
    var terms = HTTPServer.Configuration(address: server.configuration.listen)
    terms.maximumBody = server.configuration.maximumBody
    terms.trustedProxies = server.configuration.trustedProxies
    terms.log = server.configuration.log
    http = HTTPServer(configuration: terms, handler: routes.handler)
  }

  /// Answers a request; returns when what it brought is in the store. Blocks the thread until then.
  public func answer(_ request: LocalRequest) -> LocalAnswer {
    let done = DispatchSemaphore(value: 0)
    let said = Mutex<HTTPResponse?>(nil)
    Exchange.answer(request, by: http) { response in
      said.withLock { $0 = response }
      done.signal()
    }
    done.wait()
    guard let response = said.withLock({ $0 }) else { return LocalAnswer(status: 500, headers: [:], body: []) }
    var headers: [String: String] = [:]
    for header in response.headers { headers[header.name.lowercased()] = header.value }
    var body: [UInt8] = []
    switch response.body {
    case .bytes(let bytes): body = bytes
    case .events: break
    case .pulled(let pieces):
      do { while let piece = try pieces.next() { body += piece } } catch {
        return LocalAnswer(status: 503, headers: headers, body: Array("\(error)".utf8))
      }
    }
    return LocalAnswer(status: response.status, headers: headers, body: body)
  }

  /// Closes the store.
  public func close() { server.closeStore() }
}
