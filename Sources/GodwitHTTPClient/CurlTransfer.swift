#if os(Linux)
  internal import CCurl
  internal import Foundation

  /// One request, its curl handle, and the received part of its response. Used only on the thread of its session.
  final class CurlTransfer {
    typealias Completion = @Sendable (Result<HTTPClient.Response, HTTPError>) -> Void

    let easy: UnsafeMutableRawPointer
    /// Scheme, host and port.
    var server: String { "\(request.url.scheme ?? "")://\(request.url.host ?? ""):\(request.url.port ?? 0)".lowercased() }
    private let request: HTTPClient.Request
    private let reach: NetworkReach
    /// Whether a connection to a non-public address was rejected.
    private var isBeyondReach = false
    private let completion: Completion
    /// The body, which curl reads while it sends.
    private let body: UnsafeMutableBufferPointer<UInt8>
    /// The buffer for curl's error message.
    private let words: UnsafeMutablePointer<CChar>
    private var lines: UnsafeMutablePointer<curl_slist>?
    private var headers: [String: String] = [:]
    private var response: [UInt8] = []
    private var isTooLong = false
    /// Whether the empty line after the headers has arrived.
    private var areHeadersWhole = false

    /// - Throws: an error that names the violated rule of the request; `completion` is not called then.
    init(
      _ request: HTTPClient.Request, _ reach: NetworkReach, _ completion: @escaping Completion
    ) throws(HTTPError) {
      try request.check()
      guard let easy = curl_easy_init() else { throw HTTPError("Out of memory for a request.") }
      self.easy = easy
      self.request = request
      self.reach = reach
      self.completion = completion
      // Allocated even for an empty body: without an address curl would call a read function for the body.
      body = .allocate(capacity: max(1, request.body.count))
      _ = body.initialize(from: request.body)
      words = .allocate(capacity: Int(CURL_ERROR_SIZE))
      words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
      for line in Self.lines(request.headers) {
        guard let longer = curl_slist_append(lines, line) else { throw HTTPError("Out of memory for a header.") }
        lines = longer
      }
      try prepare()
    }

    // The handle is freed first, because it has pointers to the other buffers.
    deinit {
      curl_easy_cleanup(easy)
      curl_slist_free_all(lines)
      body.deallocate()
      words.deallocate()
    }

    private func prepare() throws(HTTPError) {
      try set(CURLOPT_URL, request.url.absoluteString)
      try set(CURLOPT_CUSTOMREQUEST, request.method)
      try set(CURLOPT_PROTOCOLS_STR, "http,https")
      try set(CURLOPT_NOSIGNAL, 1)
      // The thread is shared, so a cancelled request must not wait for a slow DNS lookup.
      try accepted(godwit_curl_set_quick_exit(easy))
      try set(CURLOPT_FOLLOWLOCATION, 0)
      // All compressions that curl supports. The limit applies to the decompressed size.
      if request.acceptsCompression { try set(CURLOPT_ACCEPT_ENCODING, "") }
      let milliseconds = { (seconds: Double) in max(1, Int(min(seconds, HTTPClient.maximumTimeout) * 1000)) }
      try set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds(min(request.timeout, request.connectTimeout)))
      try set(CURLOPT_TIMEOUT_MS, milliseconds(request.timeout))
      try accepted(godwit_curl_set_headers(easy, lines))
      try accepted(godwit_curl_set_pointer(easy, CURLOPT_ERRORBUFFER, words))
      try apply(request.trust)
      try apply(reach)
      try accepted(
        godwit_curl_set_sinks(easy, Self.takeBody, Self.takeHeader, Unmanaged.passUnretained(self).toOpaque()))
      guard request.method != "GET" || !request.body.isEmpty else { return }
      try accepted(godwit_curl_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(request.body.count)))
      try accepted(godwit_curl_set_pointer(easy, CURLOPT_POSTFIELDS, body.baseAddress))
    }

    /// Forces a new connection.
    func useNewConnection() throws(HTTPError) { try set(CURLOPT_FRESH_CONNECT, 1) }

    /// Delivers the response or an error.
    /// - Returns: whether the connection can be reused.
    func finish(_ code: CURLcode) -> Bool {
      // A response that is too long was truncated by the write function. The received part is delivered.
      guard code == CURLE_OK || isTooLong else {
        completion(.failure(HTTPError(sentence(code))))
        return false
      }
      // Curl accepts a response that ends before its headers are complete.
      guard areHeadersWhole else {
        completion(.failure(HTTPError("The connection was lost at the start of the response.")))
        return false
      }
      var status = 0
      godwit_curl_status(easy, &status)
      completion(.success(HTTPClient.Response(status: status, headers: headers, body: response)))
      return true
    }

    func cancel() { completion(.failure(HTTPError("The request was cancelled."))) }

    /// Returns header lines in curl's notation: a header without a value ends with a semicolon; curl does not send a header with
    /// nothing after the colon.
    private static func lines(_ headers: [String: String]) -> [String] {
      var lines = headers.map { $0.value.isEmpty ? "\($0.key);" : "\($0.key): \($0.value)" }
      // "Expect: 100-continue" would cost a round trip for each larger batch.
      if !headers.keys.contains(where: { $0.lowercased() == "expect" }) { lines.append("Expect:") }
      return lines
    }

    private func apply(_ trust: TLSTrust) throws(HTTPError) {
      switch trust {
      case .system: return
      case .pinned(let keys):
        let pins = try TLSTrust.checked(keys)
        // Set first and checked: without pins the following options would be unsafe.
        try set(CURLOPT_PINNEDPUBLICKEY, pins.map { "sha256//" + $0 }.joined(separator: ";"))
        // Only the pinned key is trusted, so a self-signed certificate is accepted.
        try set(CURLOPT_SSL_VERIFYPEER, 0)
        try set(CURLOPT_SSL_VERIFYHOST, 0)
      case .authority(let path):
        try set(CURLOPT_CAINFO, path)
        // The system's folder of authorities would also be trusted.
        try accepted(godwit_curl_set_text(easy, CURLOPT_CAPATH, nil))
      }
    }

    private func apply(_ reach: NetworkReach) throws(HTTPError) {
      guard case .publicAddresses = reach else { return }
      // A proxy would connect to addresses that this check does not see.
      try set(CURLOPT_PROXY, "")
      try accepted(godwit_curl_set_opener(easy, Self.openSocket, Unmanaged.passUnretained(self).toOpaque()))
    }

    private func set(_ option: CURLoption, _ value: String) throws(HTTPError) {
      try accepted(godwit_curl_set_text(easy, option, value))
    }
    private func set(_ option: CURLoption, _ value: Int) throws(HTTPError) {
      try accepted(godwit_curl_set_long(easy, option, value))
    }

    /// Throws if libcurl does not support an option. The option must not be ignored, because it may be the one that verifies the
    /// server.
    private func accepted(_ code: CURLcode) throws(HTTPError) {
      guard code != CURLE_OK else { return }
      throw HTTPError("libcurl rejected an option: \(String(cString: curl_easy_strerror(code))).")
    }

    /// Opens a socket for a public address only.
    private static let openSocket: godwit_curl_opener = { context, _, address in
      guard let context, let address else { return godwit_curl_no_socket() }
      guard let bytes = godwit_curl_address(address), PublicAddress.isPublic(bytes) else {
        Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue().isBeyondReach = true
        return godwit_curl_no_socket()
      }
      return godwit_curl_open_socket(address)
    }

    private static let takeBody: godwit_curl_sink = { bytes, size, count, context in
      guard let bytes, let context else { return 0 }
      let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
      let length = size * count
      let room = transfer.request.maximumResponseSize - transfer.response.count
      bytes.withMemoryRebound(to: UInt8.self, capacity: length) { bytes in
        transfer.response.append(contentsOf: UnsafeBufferPointer(start: bytes, count: min(length, room)))
      }
      guard length <= room else {
        transfer.isTooLong = true
        return 0
      }
      return length
    }

    private static let takeHeader: godwit_curl_sink = { bytes, size, count, context in
      guard let bytes, let context else { return 0 }
      let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
      let length = size * count
      let line = bytes.withMemoryRebound(to: UInt8.self, capacity: length) {
        String(decoding: UnsafeBufferPointer(start: $0, count: length), as: UTF8.self)
      }
      if line.hasPrefix("HTTP/") {
        // An interim response (100) comes first, with its own headers.
        transfer.headers = [:]
        transfer.areHeadersWhole = false
      } else if line == "\r\n" || line == "\n" {
        transfer.areHeadersWhole = true
      } else if let colon = line.firstIndex(of: ":"), transfer.headers.count < 100 {
        let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespacesAndNewlines)
        transfer.headers[line[..<colon].lowercased()] = value
      }
      return length
    }

    /// Returns curl's error message, with advice for frequent errors.
    private func sentence(_ code: CURLcode) -> String {
      let details = String(cString: words)
      let words = details.isEmpty ? String(cString: curl_easy_strerror(code)) : details
      switch code {
      case _ where isBeyondReach: return HTTPError.beyondReach.description
      case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
        return "The server's public key differs from the pinned one. Check that it is the right server; its key may have changed."
      case CURLE_PEER_FAILED_VERIFICATION where words.contains("host"):
        return "The server's certificate is not valid for \(request.url.host ?? "its own"): \(words)."
      case CURLE_PEER_FAILED_VERIFICATION:
        return "The server's certificate is not trusted: \(words). Pin its key, or trust the authority that signed it."
      case CURLE_SSL_CACERT_BADFILE:
        return "The file of the authority cannot be read, or is not a certificate in PEM: \(words)."
      case CURLE_COULDNT_CONNECT: return "The connection was refused, or the network is down: \(words)."
      case CURLE_OPERATION_TIMEDOUT: return "No response within \(request.timeout) s."
      default: return "\(words)."
      }
    }
  }
#endif
