public import Foundation

/// Sends one request and returns its response. It is a value that a test can replace.
public struct HTTPClient: Sendable {
  /// An HTTP request.
  public struct Request: Sendable {
    public var method: String
    public var url: URL
    public var headers: [String: String]
    public var body: [UInt8]
    /// Timeout in seconds.
    public var timeout: Double
    public var trust: TLSTrust
    /// Identifies the upload across launches of the program; `nil`: a later launch cannot continue it.
    package var name: String?
    /// Timeout of the connection in seconds. The session of Apple's systems has no such limit.
    package var connectTimeout: Double = 30
    /// Maximum bytes of the response that are read.
    package var maximumResponseSize = HTTPClient.maximumResponseSize
    /// Whether the server may compress its response. The limit applies to the decompressed size. The session of Apple's systems
    /// always permits it.
    package var acceptsCompression = true

    public init(
      method: String = "POST", url: URL, headers: [String: String] = [:], body: [UInt8] = [], timeout: Double = 60,
      trust: TLSTrust = .system
    ) {
      self.method = method
      self.url = url
      self.headers = headers
      self.body = body
      self.timeout = timeout
      self.trust = trust
    }
  }

  /// An HTTP response, of any status.
  public struct Response: Sendable {
    /// The status code, for example 200.
    public var status: Int
    /// The headers, with names in lowercase.
    public var headers: [String: String]
    public var body: [UInt8]
    public init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
      self.status = status
      self.headers = headers
      self.body = body
    }
  }

  /// Maximum bytes of a response that are read. The rest is discarded.
  public static let maximumResponseSize = 1 << 20
  /// Maximum timeout in seconds.
  public static let maximumTimeout: Double = 86400

  /// Sends a request. - Throws: an error if there was no response.
  public var send: @Sendable (Request) async throws -> Response

  /// The uploads of earlier launches that can be continued; `nil`: requests end with the program.
  package var earlier: Earlier?

  /// The uploads of earlier launches. They are running, or were answered while the program did not run.
  package struct Earlier: Sendable {
    /// Returns the names of their requests. Sending a request with such a name sends nothing and returns the response of that
    /// upload.
    package var names: @Sendable () async -> [String]
    /// Cancels an upload and discards its response.
    package var cancel: @Sendable (String) -> Void

    package init(names: @escaping @Sendable () async -> [String], cancel: @escaping @Sendable (String) -> Void) {
      self.names = names
      self.cancel = cancel
    }
  }

  public init(send: @escaping @Sendable (Request) async throws -> Response) { self.send = send }

  /// Returns a client for the network: no cookies, no cache, no redirects (a redirected POST would arrive as a GET).
  public static func live() -> HTTPClient { live(reaching: .everywhere) }

  /// Returns a client that connects only to some addresses. On Apple's systems, a client for public addresses rejects every
  /// request.
  package static func live(reaching reach: NetworkReach) -> HTTPClient {
    #if os(Linux)
      let session = CurlSession(reach)
      return HTTPClient { try await session.send($0) }
    #else
      guard case .everywhere = reach else {
        return HTTPClient { _ in throw HTTPError("Connections to public addresses alone need libcurl.") }
      }
      let session = SystemSession()
      return HTTPClient { try await session.send($0) }
    #endif
  }
}

/// The servers that are trusted. An untrusted server receives nothing: no redirect is followed, and an address with `http:` is
/// rejected unless the trust is `system`.
public enum TLSTrust: Sendable, Hashable, Codable {
  /// A server with a certificate of an authority that the system trusts.
  case system
  /// A server with one of these public keys, with any issuer, name or expiry date: base64 of the SHA-256 of the key
  /// (SubjectPublicKeyInfo), as in `curl --pinnedpubkey`, with or without the prefix `sha256//`.
  case pinned([String])
  /// A server with a certificate of an authority in this PEM file only. Not supported on Apple's systems, where the authority is
  /// installed in the settings of the system.
  case authority(path: String)
}

/// The error of a request without a response.
public struct HTTPError: Error, Sendable, Hashable, CustomStringConvertible, LocalizedError {
  /// The reason, as a sentence.
  public let description: String
  public var errorDescription: String? { description }
  public init(_ description: String) { self.description = description }

  /// The error of a client for public addresses that would have connected to another address.
  package static let beyondReach = HTTPError("The address is one of this machine or of a private network.")
}
