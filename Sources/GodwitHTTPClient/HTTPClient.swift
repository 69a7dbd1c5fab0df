public import Foundation

/// Sends one request and brings its answer: the network, as a value that a test replaces.
public struct HTTPClient: Sendable {
  public struct Request: Sendable {
    public var method: String
    public var url: URL
    public var headers: [String: String]
    public var body: [UInt8]
    /// Seconds without an answer.
    public var timeout: Double
    public var trust: TLSTrust
    /// Seconds until there must be a connection; the system's session has no such limit.
    package var connectTimeout: Double = 30
    /// Bytes of the answer that are read.
    package var maximumAnswerSize = HTTPClient.maximumAnswerSize
    /// Whether the server may compress its answer; what is unpacked counts for the limit. The system's session always asks for it.
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

  public struct Answer: Sendable {
    public var status: Int
    /// Names in small letters.
    public var headers: [String: String]
    public var body: [UInt8]
    public init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
      self.status = status
      self.headers = headers
      self.body = body
    }
  }

  /// Bytes of an answer that are read; what comes after them is not.
  public static let maximumAnswerSize = 1 << 20
  /// Seconds that are waited for an answer at the most, whatever is asked for.
  public static let maximumTimeout: Double = 86400

  /// - Throws: when there was no answer at all.
  public var send: @Sendable (Request) async throws -> Answer

  public init(send: @escaping @Sendable (Request) async throws -> Answer) { self.send = send }

  /// Over the network: no cookies, no cache, no redirects (a redirected POST would arrive as a GET).
  public static func live() -> HTTPClient {
    #if os(Linux)
      let session = CurlSession()
      return HTTPClient { try await session.send($0) }
    #else
      let session = SystemSession()
      return HTTPClient { try await session.send($0) }
    #endif
  }
}

/// Which server is believed to be the right one. What is not believed gets nothing: neither a redirect nor an address
/// that begins with `http:` is a way around it.
public enum TLSTrust: Sendable, Hashable, Codable {
  /// One that an authority known to the system has signed for.
  case system
  /// One that shows one of these public keys, whoever signed, for whatever name and until whenever: base64 of the SHA-256
  /// of the key (SubjectPublicKeyInfo), as `curl --pinnedpubkey` has it, with or without its `sha256//`.
  case pinned([String])
  /// One that an authority in this PEM file, and no other, has signed for. Not on Apple's systems, where it belongs into the system's
  /// settings.
  case authority(path: String)
}

/// There was no answer.
public struct HTTPError: Error, Sendable, Hashable, CustomStringConvertible, LocalizedError {
  /// A sentence.
  public let description: String
  public var errorDescription: String? { description }
  public init(_ description: String) { self.description = description }
}
