#if os(Linux)
  internal import CCurl
  internal import Foundation

  /// One request with libcurl's handles, on a thread that may block.
  struct CurlTransfer {
    private let easy: UnsafeMutableRawPointer
    private let multi: UnsafeMutableRawPointer

    init(easy: OpaquePointer, multi: OpaquePointer) {
      self.easy = UnsafeMutableRawPointer(easy)
      self.multi = UnsafeMutableRawPointer(multi)
    }

    /// What has come so far; curl's callbacks write into it.
    private final class Received {
      var headers: [String: String] = [:]
      var body: [UInt8] = []
      var isTooLong = false
      /// The empty line after them has come.
      var areHeadersWhole = false
      /// Curl's own words for what went wrong.
      let words: UnsafeMutablePointer<CChar>

      init() {
        words = .allocate(capacity: Int(CURL_ERROR_SIZE))
        words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
      }
      deinit { words.deallocate() }
    }

    func perform(_ request: HTTPClient.Request, _ cancellation: Cancellation) throws(HTTPError) -> HTTPClient.Answer {
      try request.check()
      curl_easy_reset(easy)
      let received = Received()
      // Nothing of this request is left in the handle when its memory goes; connections stay.
      defer { withExtendedLifetime(received) { curl_easy_reset(easy) } }
      var headers: UnsafeMutablePointer<curl_slist>?
      defer { curl_slist_free_all(headers) }
      for line in Self.lines(request.headers) {
        guard let longer = curl_slist_append(headers, line) else { throw HTTPError("There is no memory for a header.") }
        headers = longer
      }
      try set(CURLOPT_URL, request.url.absoluteString)
      try set(CURLOPT_CUSTOMREQUEST, request.method)
      try set(CURLOPT_PROTOCOLS_STR, "http,https")
      try set(CURLOPT_NOSIGNAL, 1)
      try set(CURLOPT_FOLLOWLOCATION, 0)
      // Whatever compression curl knows; what is unpacked counts for the bound.
      try set(CURLOPT_ACCEPT_ENCODING, "")
      let milliseconds = max(1, Int(min(request.timeout, HTTPClient.longestTimeout) * 1000))
      try set(CURLOPT_CONNECTTIMEOUT_MS, min(milliseconds, 30_000))
      try set(CURLOPT_TIMEOUT_MS, milliseconds)
      try accepted(godwit_curl_set_headers(easy, headers))
      try accepted(godwit_curl_set_pointer(easy, CURLOPT_ERRORBUFFER, received.words))
      try apply(request.trust)
      try accepted(
        godwit_curl_set_sinks(easy, Self.takeBody, Self.takeHeader, Unmanaged.passUnretained(received).toOpaque()))
      try request.body.withUnsafeBufferPointer { (body) throws(HTTPError) in
        if request.method != "GET" || !body.isEmpty {
          try accepted(godwit_curl_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)))
          // Curl only reads from it, and only until this returns.
          try accepted(
            godwit_curl_set_pointer(
              easy, CURLOPT_POSTFIELDS, UnsafeMutableRawPointer(mutating: body.baseAddress.map { UnsafeRawPointer($0) })))
        }
        try run(received, request, cancellation)
      }
      // Curl is content with what came until then.
      guard received.areHeadersWhole else { throw HTTPError("The connection was cut while the answer began.") }
      var status = 0
      godwit_curl_status(easy, &status)
      return HTTPClient.Answer(status: status, headers: received.headers, body: received.body)
    }

    /// Header lines as curl takes them: one that ends with a semicolon has no value, one with nothing behind its colon is
    /// not sent.
    private static func lines(_ headers: [String: String]) -> [String] {
      var lines = headers.map { $0.value.isEmpty ? "\($0.key);" : "\($0.key): \($0.value)" }
      // "Expect: 100-continue" would cost a round trip for every larger batch.
      if !headers.keys.contains(where: { $0.lowercased() == "expect" }) { lines.append("Expect:") }
      return lines
    }

    private func run(_ received: Received, _ request: HTTPClient.Request, _ cancellation: Cancellation) throws(HTTPError) {
      curl_multi_add_handle(multi, easy)
      cancellation.wakes(multi)
      defer {
        cancellation.wakes(nil)
        curl_multi_remove_handle(multi, easy)
      }
      while true {
        if cancellation.isCancelled { throw HTTPError("The request was cancelled.") }
        var running: Int32 = 0
        curl_multi_perform(multi, &running)
        var waiting: Int32 = 0
        while let message = curl_multi_info_read(multi, &waiting) {
          guard message.pointee.msg == CURLMSG_DONE else { continue }
          let code = message.pointee.data.result
          // What is too long to read was cut off by us: what there is of it counts.
          if code == CURLE_OK || received.isTooLong { return }
          throw HTTPError(Self.sentence(code, String(cString: received.words), request))
        }
        curl_multi_poll(multi, nil, 0, 1000, nil)
      }
    }

    private func apply(_ trust: TLSTrust) throws(HTTPError) {
      switch trust {
      case .system: return
      case .pinned(let keys):
        let pins = try TLSTrust.checked(keys)
        // First, and checked: without it nothing below would be looked at any more.
        try set(CURLOPT_PINNEDPUBLICKEY, pins.map { "sha256//" + $0 }.joined(separator: ";"))
        // The key itself is what is trusted, so that a server may sign for itself.
        try set(CURLOPT_SSL_VERIFYPEER, 0)
        try set(CURLOPT_SSL_VERIFYHOST, 0)
      case .authority(let path):
        try set(CURLOPT_CAINFO, path)
        // The system's folder of authorities would count as well.
        try accepted(godwit_curl_set_text(easy, CURLOPT_CAPATH, nil))
      }
    }

    private func set(_ option: CURLoption, _ value: String) throws(HTTPError) {
      try accepted(godwit_curl_set_text(easy, option, value))
    }
    private func set(_ option: CURLoption, _ value: Int) throws(HTTPError) {
      try accepted(godwit_curl_set_long(easy, option, value))
    }

    /// An option that this libcurl does not have must not be passed over: it may be the one that checks the server.
    private func accepted(_ code: CURLcode) throws(HTTPError) {
      guard code != CURLE_OK else { return }
      throw HTTPError("libcurl does not do what is asked of it: \(String(cString: curl_easy_strerror(code))).")
    }

    private static let takeBody: godwit_curl_sink = { bytes, size, count, context in
      guard let bytes, let context else { return 0 }
      let received = Unmanaged<Received>.fromOpaque(context).takeUnretainedValue()
      let length = size * count
      let room = HTTPClient.longestAnswer - received.body.count
      bytes.withMemoryRebound(to: UInt8.self, capacity: length) { bytes in
        received.body.append(contentsOf: UnsafeBufferPointer(start: bytes, count: min(length, room)))
      }
      guard length <= room else {
        received.isTooLong = true
        return 0
      }
      return length
    }

    private static let takeHeader: godwit_curl_sink = { bytes, size, count, context in
      guard let bytes, let context else { return 0 }
      let received = Unmanaged<Received>.fromOpaque(context).takeUnretainedValue()
      let length = size * count
      let line = bytes.withMemoryRebound(to: UInt8.self, capacity: length) {
        String(decoding: UnsafeBufferPointer(start: $0, count: length), as: UTF8.self)
      }
      if line.hasPrefix("HTTP/") {
        // An interim answer (100) comes first, with headers of its own.
        received.headers = [:]
        received.areHeadersWhole = false
      } else if line == "\r\n" || line == "\n" {
        received.areHeadersWhole = true
      } else if let colon = line.firstIndex(of: ":"), received.headers.count < 100 {
        let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespacesAndNewlines)
        received.headers[line[..<colon].lowercased()] = value
      }
      return length
    }

    /// Curl's words, and what to do where that is not plain.
    private static func sentence(_ code: CURLcode, _ details: String, _ request: HTTPClient.Request) -> String {
      let words = details.isEmpty ? String(cString: curl_easy_strerror(code)) : details
      switch code {
      case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
        return "The server shows another public key than the pinned one. Is it the right server, or has its key changed?"
      case CURLE_PEER_FAILED_VERIFICATION where words.contains("host"):
        return "The server's certificate is for another name than \(request.url.host ?? "its own"): \(words)."
      case CURLE_PEER_FAILED_VERIFICATION:
        return "The server's certificate is not trusted: \(words). Pin its key, or name the authority that signed it."
      case CURLE_SSL_CACERT_BADFILE:
        return "The file of the authority cannot be read, or is no certificate in PEM: \(words)."
      case CURLE_COULDNT_CONNECT: return "Nobody listens at that address, or the network is away: \(words)."
      case CURLE_OPERATION_TIMEDOUT: return "There was no answer within \(request.timeout) s."
      default: return "\(words)."
      }
    }
  }
#endif
