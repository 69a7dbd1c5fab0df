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
    }

    func perform(_ request: HTTPClient.Request, _ cancellation: Cancellation) throws(HTTPError) -> HTTPClient.Answer {
      curl_easy_reset(easy)
      let received = Received()
      var headers: UnsafeMutablePointer<curl_slist>?
      defer { curl_slist_free_all(headers) }
      // "Expect: 100-continue" would cost a round trip for every larger batch.
      for (name, value) in request.headers.merging(["Expect": ""], uniquingKeysWith: { given, _ in given }) {
        // A line break would begin another header.
        guard !(name + value).utf8.contains(where: { $0 == 10 || $0 == 13 }) else {
          throw HTTPError("The header \(name) has a line break in it.")
        }
        headers = curl_slist_append(headers, value.isEmpty ? "\(name):" : "\(name): \(value)")
      }
      set(CURLOPT_URL, request.url.absoluteString)
      set(CURLOPT_CUSTOMREQUEST, request.method)
      set(CURLOPT_PROTOCOLS_STR, "http,https")
      set(CURLOPT_NOSIGNAL, 1)
      set(CURLOPT_FOLLOWLOCATION, 0)
      set(CURLOPT_CONNECTTIMEOUT_MS, Int(min(request.timeout, 30) * 1000))
      set(CURLOPT_TIMEOUT_MS, Int(request.timeout * 1000))
      godwit_curl_set_headers(easy, headers)
      try apply(request.trust)
      godwit_curl_set_sinks(easy, Self.takeBody, Self.takeHeader, Unmanaged.passUnretained(received).toOpaque())
      try request.body.withUnsafeBufferPointer { (body) throws(HTTPError) in
        if request.method != "GET" || !body.isEmpty {
          godwit_curl_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
          // Curl only reads from it, and only until this returns.
          godwit_curl_set_pointer(
            easy, CURLOPT_POSTFIELDS, UnsafeMutableRawPointer(mutating: body.baseAddress.map { UnsafeRawPointer($0) }))
          set(CURLOPT_CUSTOMREQUEST, request.method)
        }
        try run(received, cancellation)
      }
      var status = 0
      godwit_curl_status(easy, &status)
      return HTTPClient.Answer(status: status, headers: received.headers, body: received.body)
    }

    private func run(_ received: Received, _ cancellation: Cancellation) throws(HTTPError) {
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
          throw HTTPError(Self.sentence(code))
        }
        curl_multi_poll(multi, nil, 0, 1000, nil)
      }
    }

    private func apply(_ trust: TLSTrust) throws(HTTPError) {
      switch trust {
      case .system: return
      case .pinned(let keys):
        guard !keys.isEmpty else { throw HTTPError("No public key is pinned: nobody could be trusted.") }
        set(CURLOPT_PINNEDPUBLICKEY, keys.map { "sha256//" + $0 }.joined(separator: ";"))
        // The key itself is what is trusted, so that a server may sign for itself.
        set(CURLOPT_SSL_VERIFYPEER, 0)
        set(CURLOPT_SSL_VERIFYHOST, 0)
      case .authority(let path): set(CURLOPT_CAINFO, path)
      }
    }

    private func set(_ option: CURLoption, _ value: String) { godwit_curl_set_text(easy, option, value) }
    private func set(_ option: CURLoption, _ value: Int) { godwit_curl_set_long(easy, option, value) }

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
      } else if let colon = line.firstIndex(of: ":"), received.headers.count < 100 {
        let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespacesAndNewlines)
        received.headers[line[..<colon].lowercased()] = value
      }
      return length
    }

    /// Curl's words, and what to do where that is not plain.
    private static func sentence(_ code: CURLcode) -> String {
      let words = String(cString: curl_easy_strerror(code))
      switch code {
      case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
        return "The server shows another public key than the pinned one. Is it the right server, or has its key changed?"
      case CURLE_PEER_FAILED_VERIFICATION:
        return "The server's certificate is not trusted: \(words). Pin its key, or name the authority that signed it."
      case CURLE_COULDNT_CONNECT: return "Nobody listens at that address, or the network is away: \(words)."
      case CURLE_OPERATION_TIMEDOUT: return "There was no answer in time."
      default: return "\(words)."
      }
    }
  }
#endif
