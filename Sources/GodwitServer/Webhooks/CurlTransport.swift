internal import CCurl
internal import Foundation
internal import Synchronization

/// Letters over libcurl: all that are on their way at once share one thread and its connections.
///
/// No redirect is followed: a letter goes to the address that the owner named and to no other. Of an answer the first 64 KiB
/// are read.
final class CurlTransport: WebhookTransport {
  /// Seconds until an answer must be there, and until a connection must be.
  private static let patience = 15
  private static let connectPatience = 10
  /// Bytes of an answer that are read.
  fileprivate static let longestAnswer = 64 << 10
  private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  private struct Order: Sendable {
    var request: WebhookRequest
    var completion: @Sendable (Result<WebhookAnswer, WebhookFailure>) -> Void
  }
  private struct State {
    var orders: [Order] = []
    var isClosed = false
    var hasThread = false
    /// The address of curl's handle, for `curl_multi_wakeup` alone, which may be called from any thread.
    var multi: UInt?
  }
  private let state = Mutex(State())

  func send(_ request: WebhookRequest, completion: @escaping @Sendable (Result<WebhookAnswer, WebhookFailure>) -> Void) {
    let (isClosed, needsThread) = state.withLock { state in
      if state.isClosed { return (true, false) }
      state.orders.append(Order(request: request, completion: completion))
      if let multi = state.multi.flatMap({ UnsafeMutableRawPointer(bitPattern: $0) }) { curl_multi_wakeup(multi) }
      defer { state.hasThread = true }
      return (false, !state.hasThread)
    }
    if isClosed { return completion(.failure(WebhookFailure("The server is stopping."))) }
    guard needsThread else { return }
    let thread = Thread { [self] in run() }
    thread.name = "godwit.webhooks"
    thread.stackSize = 512 << 10
    thread.start()
  }

  func close() {
    state.withLock { state in
      state.isClosed = true
      if let multi = state.multi.flatMap({ UnsafeMutableRawPointer(bitPattern: $0) }) { curl_multi_wakeup(multi) }
    }
  }

  // MARK: On the thread

  private func run() {
    guard Self.isReady, let multi = curl_multi_init() else {
      // There is no memory, and there was never a letter that went: each of them will be tried again later.
      let orders = state.withLock { state in
        defer { state.orders = [] }
        state.hasThread = false
        return state.orders
      }
      for order in orders { order.completion(.failure(WebhookFailure("libcurl cannot be used: there is no memory for it."))) }
      return
    }
    let address = UInt(bitPattern: multi)
    state.withLock { $0.multi = address }
    var transfers: [UnsafeMutableRawPointer: Transfer] = [:]
    while true {
      let (orders, isClosed) = state.withLock { state in
        defer { state.orders = [] }
        return (state.orders, state.isClosed)
      }
      for order in orders {
        do throws(WebhookFailure) {
          let transfer = try Transfer(order.request, order.completion)
          transfers[transfer.easy] = transfer
          curl_multi_add_handle(multi, transfer.easy)
        } catch {
          order.completion(.failure(error))
        }
      }
      if isClosed { break }
      var running: Int32 = 0
      curl_multi_perform(multi, &running)
      var left: Int32 = 0
      while let message = curl_multi_info_read(multi, &left) {
        guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
        let code = message.pointee.data.result
        curl_multi_remove_handle(multi, easy)
        transfers.removeValue(forKey: easy)?.finish(code)
      }
      curl_multi_poll(multi, nil, 0, 1000, nil)
    }
    // From here on nobody wakes it any more.
    state.withLock { $0.multi = nil }
    for transfer in transfers.values {
      curl_multi_remove_handle(multi, transfer.easy)
      transfer.cancel()
    }
    curl_multi_cleanup(multi)
  }

  /// One letter's handle and what has come for it so far; only the thread touches it.
  private final class Transfer {
    let easy: UnsafeMutableRawPointer
    private let completion: @Sendable (Result<WebhookAnswer, WebhookFailure>) -> Void
    /// What curl reads from while it sends.
    private let body: UnsafeMutableBufferPointer<UInt8>
    private let words: UnsafeMutablePointer<CChar>
    private var headers: UnsafeMutablePointer<curl_slist>?
    fileprivate var answer: [UInt8] = []
    fileprivate var retryAfter: String?
    fileprivate var isTooLong = false

    init(
      _ request: WebhookRequest, _ completion: @escaping @Sendable (Result<WebhookAnswer, WebhookFailure>) -> Void
    ) throws(WebhookFailure) {
      guard let easy = curl_easy_init() else { throw WebhookFailure("There is no memory for a request.") }
      self.easy = easy
      self.completion = completion
      body = .allocate(capacity: request.body.count)
      _ = body.initialize(from: request.body)
      words = .allocate(capacity: Int(CURL_ERROR_SIZE))
      words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
      for header in request.headers { try add("\(header.name): \(header.value)") }
      // "Expect: 100-continue" would cost a round trip.
      try add("Expect:")
      try accepted(godwit_curl_set_text(easy, CURLOPT_URL, request.url))
      try accepted(godwit_curl_set_text(easy, CURLOPT_CUSTOMREQUEST, request.method))
      try accepted(godwit_curl_set_text(easy, CURLOPT_PROTOCOLS_STR, "http,https"))
      try accepted(godwit_curl_set_long(easy, CURLOPT_NOSIGNAL, 1))
      try accepted(godwit_curl_set_long(easy, CURLOPT_FOLLOWLOCATION, 0))
      try accepted(godwit_curl_set_long(easy, CURLOPT_CONNECTTIMEOUT, CurlTransport.connectPatience))
      try accepted(godwit_curl_set_long(easy, CURLOPT_TIMEOUT, CurlTransport.patience))
      try accepted(godwit_curl_set_headers(easy, headers))
      try accepted(godwit_curl_set_pointer(easy, CURLOPT_ERRORBUFFER, words))
      if request.method == "GET" {
        try accepted(godwit_curl_set_long(easy, CURLOPT_HTTPGET, 1))
      } else {
        try accepted(godwit_curl_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)))
        try accepted(godwit_curl_set_pointer(easy, CURLOPT_POSTFIELDS, body.baseAddress))
      }
      try accepted(
        godwit_curl_set_sinks(easy, Self.takeBody, Self.takeHeader, Unmanaged.passUnretained(self).toOpaque()))
    }

    // The handle goes first: it knows the others' addresses.
    deinit {
      curl_easy_cleanup(easy)
      curl_slist_free_all(headers)
      body.deallocate()
      words.deallocate()
    }

    func finish(_ code: CURLcode) {
      // What is too long to read was cut off by us: what there is of it counts.
      guard code == CURLE_OK || isTooLong else { return completion(.failure(WebhookFailure(sentence(code)))) }
      var status = 0
      godwit_curl_status(easy, &status)
      completion(.success(WebhookAnswer(status: status, retryAfter: retryAfter, body: answer)))
    }

    func cancel() { completion(.failure(WebhookFailure("The server is stopping."))) }

    private func add(_ line: String) throws(WebhookFailure) {
      guard let longer = curl_slist_append(headers, line) else { throw WebhookFailure("There is no memory for a header.") }
      headers = longer
    }

    /// An option that this libcurl does not have must not be passed over: it may be the one that checks the server.
    private func accepted(_ code: CURLcode) throws(WebhookFailure) {
      guard code != CURLE_OK else { return }
      throw WebhookFailure("libcurl does not do what is asked of it: \(String(cString: curl_easy_strerror(code))).")
    }

    private func sentence(_ code: CURLcode) -> String {
      let details = String(cString: words)
      let what = details.isEmpty ? String(cString: curl_easy_strerror(code)) : details
      switch code {
      case CURLE_COULDNT_CONNECT: return "Nobody listens at that address, or the network is away: \(what)."
      case CURLE_OPERATION_TIMEDOUT: return "There was no answer within \(CurlTransport.patience) s."
      case CURLE_PEER_FAILED_VERIFICATION: return "The address's certificate is not trusted: \(what)."
      default: return "\(what)."
      }
    }

    private static let takeBody: godwit_curl_sink = { bytes, size, count, context in
      guard let bytes, let context else { return 0 }
      let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
      let length = size * count
      let room = CurlTransport.longestAnswer - transfer.answer.count
      bytes.withMemoryRebound(to: UInt8.self, capacity: length) { bytes in
        transfer.answer.append(contentsOf: UnsafeBufferPointer(start: bytes, count: min(length, room)))
      }
      guard length <= room else {
        transfer.isTooLong = true
        return 0
      }
      return length
    }

    private static let takeHeader: godwit_curl_sink = { bytes, size, count, context in
      guard let bytes, let context else { return 0 }
      let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
      let length = size * count
      let line = bytes.withMemoryRebound(to: UInt8.self, capacity: length) {
        String(decoding: UnsafeBufferPointer(start: $0, count: length), as: UTF8.self)
      }
      guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == "retry-after" else { return length }
      transfer.retryAfter = line[line.index(after: colon)...].trimmingCharacters(in: .whitespacesAndNewlines)
      return length
    }
  }
}
