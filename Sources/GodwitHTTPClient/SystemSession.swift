#if !os(Linux)
  // Not compiled on systems without the Security framework, so it contains little logic. Apple's URLSession, with pinned keys.
  internal import CryptoKit
  internal import Foundation
  internal import Security
  internal import GodwitLocks

  /// Sends requests with Apple's URLSession: no cookies, no cache, no redirects.
  final class SystemSession: Sendable {
    /// A session for each list of pinned keys; empty: the trust of the system applies. A session reuses its connections, so that
    /// requests with other pins must not share it.
    private let sessions = Mutex<[[String]: URLSession]>([:])

    private func session(pins: [String]?) -> URLSession {
      sessions.withLock { sessions in
        if let known = sessions[pins ?? []] { return known }
        let new = URLSession(configuration: Self.configuration, delegate: TrustDelegate(pins), delegateQueue: nil)
        sessions[pins ?? []] = new
        return new
      }
    }

    private static var configuration: URLSessionConfiguration {
      let configuration = URLSessionConfiguration.ephemeral
      configuration.httpCookieStorage = nil
      configuration.urlCache = nil
      configuration.httpMaximumConnectionsPerHost = 2
      return configuration
    }

    func send(_ request: HTTPClient.Request) async throws -> HTTPClient.Response {
      let session = session(pins: try request.checkedPins())
      var urlRequest = URLRequest(request)
      if !request.body.isEmpty { urlRequest.httpBody = Data(request.body) }
      let (bytes, response) = try await session.bytes(for: urlRequest)
      // The rest of a longer response is not loaded.
      defer { bytes.task.cancel() }
      guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
      var body: [UInt8] = []
      for try await byte in bytes.prefix(request.maximumResponseSize) { body.append(byte) }
      return HTTPClient.Response(status: response.statusCode, headers: Self.headers(of: response), body: body)
    }

    /// Returns the headers, with names in lowercase.
    static func headers(of response: HTTPURLResponse) -> [String: String] {
      var headers: [String: String] = [:]
      for (name, value) in response.allHeaderFields {
        if let name = name as? String, let value = value as? String { headers[name.lowercased()] = value }
      }
      return headers
    }
  }

  extension URLRequest {
    /// Creates the request of the system, without the body.
    init(_ request: HTTPClient.Request) {
      self.init(url: request.url, timeoutInterval: request.timeout)
      httpMethod = request.method
      for (name, value) in request.headers { setValue(value, forHTTPHeaderField: name) }
    }
  }

  /// Rejects every redirect, and checks the key of a server against the pins of its session.
  final class TrustDelegate: NSObject, URLSessionTaskDelegate, Sendable {
    private let pins: [String]?

    /// - Parameter pins: the hashes of trusted keys, as ``TLSTrust/checked(_:)`` returns them; `nil`: the trust of the system
    ///   applies.
    init(_ pins: [String]?) { self.pins = pins }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
      completionHandler(nil)
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      guard let pins, let serverTrust = challenge.protectionSpace.serverTrust else {
        return completionHandler(.performDefaultHandling, nil)
      }
      let chain = SecTrustCopyCertificateChain(serverTrust) as? [SecCertificate]
      if let leaf = chain?.first, let key = Self.publicKeyInfo(of: leaf),
        pins.contains(Data(SHA256.hash(data: key)).base64EncodedString())
      {
        completionHandler(.useCredential, URLCredential(trust: serverTrust))
      } else {
        completionHandler(.cancelAuthenticationChallenge, nil)
      }
    }

    /// Returns the SubjectPublicKeyInfo of a certificate with an EC key of 256 or 384 bits or an RSA key of 2048 or 4096 bits;
    /// `nil` for other keys. The Security framework returns the key only, so the prefix of its type is added (RFC 5480, RFC
    /// 8017).
    private static func publicKeyInfo(of certificate: SecCertificate) -> Data? {
      guard let key = SecCertificateCopyKey(certificate), let bytes = SecKeyCopyExternalRepresentation(key, nil) as Data?,
        let attributes = SecKeyCopyAttributes(key) as? [CFString: Any], let size = attributes[kSecAttrKeySizeInBits] as? Int,
        let kind = attributes[kSecAttrKeyType] as? String
      else { return nil }
      let beginnings: [String: [UInt8]] = [
        "EC256": [
          0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48,
          0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
        ],
        "EC384": [
          0x30, 0x76, 0x30, 0x10, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x05, 0x2B, 0x81, 0x04,
          0x00, 0x22, 0x03, 0x62, 0x00,
        ],
        "RSA2048": [
          0x30, 0x82, 0x01, 0x22, 0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05,
          0x00, 0x03, 0x82, 0x01, 0x0F, 0x00,
        ],
        "RSA4096": [
          0x30, 0x82, 0x02, 0x22, 0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05,
          0x00, 0x03, 0x82, 0x02, 0x0F, 0x00,
        ],
      ]
      let name = (kind == kSecAttrKeyTypeRSA as String ? "RSA" : "EC") + String(size)
      return beginnings[name].map { Data($0) + bytes }
    }
  }
#endif
