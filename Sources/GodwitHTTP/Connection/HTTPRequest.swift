internal import CMicrohttpd
internal import Foundation
internal import Synchronization

/// A request and its response.
///
/// `@unchecked Sendable`: a request is used by libmicrohttpd's thread of its connection until it is suspended. Then it is
/// used by the thread that finishes it, until `finish` resumes the connection as its last action. Both hand-overs use
/// libmicrohttpd's lock, so that only one thread uses the request at a time. The memory of headers and arguments is valid
/// as long as the connection.
package final class HTTPRequest: @unchecked Sendable {
  let server: HTTPServer
  package let method: String
  /// The path, percent-decoded.
  package let path: String
  /// The part of the path at the placeholder of the route's pattern, percent-decoded.
  package var parameter = ""
  private(set) var body: [UInt8] = []
  /// The `Content-Length` of the body in bytes.
  private var announced: Int?
  /// Bytes of the body that count towards the limit of all bodies in memory.
  private var counted = 0
  private let origin: Origin
  private let started = ContinuousClock.now
  private var phase = Phase.receiving
  private var responseObserver: (@Sendable (Int) -> Void)?
  /// Values that the program attaches; released with the request.
  package var context: (any RequestContext)?
  /// Maximum bytes of the body, if less than the server's limit.
  package var maximumBody: Int?
  /// The destination of the body, if it is not memory.
  package var file: BodyFile?
  /// Additional headers of the response.
  package var moreHeaders: [(name: String, value: String)] = []

  /// The route; `nil`: not yet determined, or the request has none.
  package internal(set) var route: Route?
  /// The request's identifier in the response and in the log.
  package private(set) lazy var requestID = server.requestID(header(HTTPServer.requestIDHeader))
  /// The client as proxies report it.
  private(set) lazy var forwarding = makeForwarding()

  /// Number of suspended requests of the same server.
  package var suspendedRequests: Int { server.suspended }

  /// The origin of the request.
  private enum Origin {
    case connection(OpaquePointer)
    /// This process.
    case local(LocalRequest, answer: @Sendable (HTTPResponse) -> Void)
  }

  private enum Phase {
    /// The body is being received.
    case receiving
    /// The request is rejected: its body is read and discarded, and then this response is sent.
    case discarding(HTTPResponse, since: ContinuousClock.Instant)
    /// Suspended: another thread calls `finish`.
    case waiting
    /// The response that is sent at the next call of libmicrohttpd.
    case ready(HTTPResponse)
    /// The response was queued.
    case answered
  }

  private init(server: HTTPServer, origin: Origin, method: String, path: String) {
    self.server = server
    self.origin = origin
    self.method = method
    self.path = path
    server.active.add(1, ordering: .releasing)
  }

  deinit {
    releaseBody()
    server.active.subtract(1, ordering: .releasing)
  }

  // MARK: What was asked

  /// The value of a header; names are case-insensitive.
  package func header(_ name: String) -> String? {
    if case .local(let local, _) = origin {
      return local.headers.first { HeaderName.matches($0.key, name) }?.value
    }
    return value(name, godwit_header)
  }

  /// All values of a header in their order, joined by commas. A header may occur on several lines.
  package func values(_ name: String) -> String? {
    // Most requested headers are absent. This check needs no copy of the names.
    guard let only = header(name) else { return nil }
    guard case .connection(let connection) = origin else { return only }
    var found = Found(name: name)
    withUnsafeMutablePointer(to: &found) { found in
      godwit_each_header(
        connection,
        { context, _, name, nameSize, value, valueSize in
          guard let found = context?.assumingMemoryBound(to: Found.self), let name, let value else { return MHD_Result.YES }
          let said = String(decoding: UnsafeRawBufferPointer(start: name, count: nameSize), as: UTF8.self)
          if HeaderName.matches(said, found.pointee.name) {
            found.pointee.values.append(String(decoding: UnsafeRawBufferPointer(start: value, count: valueSize), as: UTF8.self))
          }
          return MHD_Result.YES
        }, found)
    }
    return found.values.joined(separator: ",")
  }

  /// The values of a header.
  private struct Found {
    var name: String
    var values: [String] = []
  }

  /// The value of a query argument, percent-decoded. "" if it has no value; `nil` if it is absent.
  func argument(_ name: String) -> String? {
    if case .local(let local, _) = origin { return local.query[name] }
    return value(name, godwit_query)
  }

  /// All query arguments, percent-decoded. Those of a network request are in their order, those of a local request are
  /// sorted by name.
  package var queryItems: [(name: String, value: String)] {
    switch origin {
    case .local(let local, _): return local.query.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    case .connection(let connection):
      var items: [(name: String, value: String)] = []
      withUnsafeMutablePointer(to: &items) { items in
        godwit_each_argument(
          connection,
          { context, _, name, nameSize, value, valueSize in
            guard let items = context?.assumingMemoryBound(to: [(name: String, value: String)].self) else { return MHD_Result.NO }
            func text(_ start: UnsafePointer<CChar>?, _ size: Int) -> String {
              start.map { String(decoding: UnsafeRawBufferPointer(start: $0, count: size), as: UTF8.self) } ?? ""
            }
            items.pointee.append((text(name, nameSize), text(value, valueSize)))
            return MHD_Result.YES
          }, items)
      }
      return items
    }
  }

  /// The value of a cookie.
  package func cookie(_ name: String) -> String? {
    if case .local = origin {
      let pairs = header("Cookie")?.split(separator: ";") ?? []
      let found = pairs.lazy.map { $0.trimmingCharacters(in: .whitespaces) }.first { $0.hasPrefix(name + "=") }
      return found.map { String($0.dropFirst(name.count + 1)) }
    }
    return value(name, godwit_cookie)
  }

  private func value(_ name: String, _ place: some BinaryInteger) -> String? {
    var size = 0
    guard case .connection(let connection) = origin,
      let start = godwit_value(connection, Int32(place), name, name.utf8.count, &size)
    else { return nil }
    return String(decoding: UnsafeRawBufferPointer(start: start, count: size), as: UTF8.self)
  }

  /// The address of the peer; `nil`: unknown.
  var peer: PeerAddress? {
    guard case .connection(let connection) = origin else { return .thisMachine }
    return godwit_client_address(connection).map { PeerAddress($0) }
  }

  private func makeForwarding() -> Forwarding? {
    // The peer's address is needed only if a proxy has added headers.
    guard Forwarding.headerNames.contains(where: { header($0) != nil }) else { return nil }
    return Forwarding(peer: peerAddress, proxies: server.configuration.trustedProxies) { values($0) }
  }

  // MARK: Answering

  /// Sends the response of a request whose handler returned `.later`. Must be called once, on any thread.
  package func finish(_ response: HTTPResponse) {
    let server = server
    switch origin {
    case .connection(let connection):
      phase = .ready(server.handler.complete(response, self))
      // The connection is resumed first. From then on the request counts only as active.
      MHD_resume_connection(connection)
      server.endSuspension()
    case .local(_, let completion):
      server.endSuspension()
      reply(response, completion)
    }
  }

  /// Calls `observer` with the status of the response when it is sent.
  package func onResponse(_ observer: @escaping @Sendable (Int) -> Void) { responseObserver = observer }

  /// Returns the body and releases it from the request, so that its memory is freed after it is read.
  package func takeBody() -> [UInt8] {
    let taken = body
    body = []
    releaseBody()
    return taken
  }

  /// Suspends the connection until `finish` is called. A suspended connection occupies no thread.
  /// - Returns: `nil`, or the response to send at once because the server is stopping.
  package func suspend() -> HTTPResponse? {
    guard server.beginSuspension() else {
      return Problem(503, "Stopping", "The server is stopping. Try again in a moment.", retryAfter: 5).response
    }
    phase = .waiting
    if case .connection(let connection) = origin { MHD_suspend_connection(connection) }
    return nil
  }

  // MARK: Without a network

  /// Answers a request of this process. `completion` is called on this thread or on the thread that finishes the request.
  static func respond(
    _ local: LocalRequest, by server: HTTPServer, _ completion: @escaping @Sendable (HTTPResponse) -> Void
  ) {
    let request = HTTPRequest(
      server: server, origin: .local(local, answer: completion), method: local.method, path: local.path)
    if let rejection = server.handler.accept(request) { return request.reply(rejection, completion) }
    guard local.body.count <= request.bodyLimit else {
      return request.reply(request.tooLarge.response, completion)
    }
    if let file = request.file {
      do throws(Problem) {
        try local.body.withUnsafeBufferPointer { bytes throws(Problem) in try file.append(UnsafeRawBufferPointer(bytes)) }
      } catch {
        return request.reply(error.response, completion)
      }
    } else {
      request.body = local.body
    }
    if case .now(let response) = server.handler.respond(request) { request.reply(response, completion) }
  }

  private func reply(_ response: HTTPResponse, _ completion: (HTTPResponse) -> Void) {
    let response = server.handler.complete(response, self)
    phase = .answered
    answered(response)
    completion(moreHeaders.reduce(response) { $0.with($1.name, $1.value) })
  }

  /// Milliseconds since the request was received.
  var milliseconds: Double { (ContinuousClock.now - started) / .milliseconds(1) }

  /// Calls the observer of the response, and logs the request.
  private func answered(_ response: HTTPResponse) {
    responseObserver?(response.status)
    if let problem = response.problem, let cause = problem.cause {
      server.configuration.log?.failure(problem.detail, cause: cause)
    }
    guard let log = server.configuration.log, log.wants(status: response.status) else { return }
    var size: Int?
    if case .bytes(let bytes) = response.body { size = method == "HEAD" ? 0 : bytes.count }
    log.write(RequestLog.Entry(of: self, status: response.status, bytes: size))
  }

  // MARK: libmicrohttpd calls

  /// Called when the headers are complete, for each piece of the body, at the end of the body, and after the connection is
  /// resumed.
  static let access: MHD_AccessHandlerCallback = { context, connection, url, method, version, upload, uploadSize, state in
    guard let context, let connection, let url, let method, let version, let uploadSize, let state else { return MHD_Result.NO }
    guard let known = state.pointee, targetFault(known) == nil else {
      let server = Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()
      let problem =
        RequestFraming.problem(of: connection, method: method, url: url, version: version)
        ?? state.pointee.flatMap { targetFault($0)?.problem }
      let request = HTTPRequest(
        server: server, origin: .connection(connection), method: String(cString: method), path: String(cString: url))
      state.pointee = Unmanaged.passRetained(request).toOpaque()
      if let problem { return request.hangUp(problem, connection) }
      return request.receivedHeaders(connection)
    }
    let request = Unmanaged<HTTPRequest>.fromOpaque(known).takeUnretainedValue()
    let size = uploadSize.pointee
    if size > 0, let upload {
      uploadSize.pointee = 0
      return request.received(UnsafeRawBufferPointer(start: upload, count: size))
    }
    return request.proceed(connection)
  }

  /// The fault that was stored instead of a request, because the target was not parsed. A small number is not a valid
  /// pointer.
  private static func targetFault(_ note: UnsafeMutableRawPointer) -> RequestFraming.TargetFault? {
    RequestFraming.TargetFault(rawValue: Int(bitPattern: note))
  }

  /// Called with the target of a request before libmicrohttpd parses it. A target with more arguments than fit into the
  /// connection's memory would be answered only after the timeout of idle connections.
  static let target: godwit_target_callback = { context, uri, connection in
    guard let context, let uri, let connection else { return nil }
    let server = Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()
    server.updateTable(connection) { $0.receivedLine($1, at: $2) }
    guard let fault = RequestFraming.fault(ofTarget: UnsafeRawBufferPointer(start: uri, count: strlen(uri))) else { return nil }
    godwit_cut_query(uri)
    return UnsafeMutableRawPointer(bitPattern: fault.rawValue)
  }

  /// Called when a request has ended, successfully or not.
  static let completed: MHD_RequestCompletedCallback = { context, connection, state, _ in
    if let context, let connection {
      let server = Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()
      server.updateTable(connection) { $0.end($1, at: $2) }
    }
    guard let state, let known = state.pointee else { return }
    state.pointee = nil
    if targetFault(known) == nil { Unmanaged<HTTPRequest>.fromOpaque(known).release() }
  }

  private func receivedHeaders(_ connection: OpaquePointer) -> MHD_Result {
    let client = isForwarded ? forwarding?.client.map { ClientNetwork($0) } : nil
    guard server.updateTable(connection, { table, id, _ in table.begin(id, for: client) }) else {
      let maximum = server.configuration.connectionsPerClient
      return hangUp(
        Problem(
          429, "Too many connections",
          "\(maximum) connections of one client network are accepted at once. Try again in a moment.",
          retryAfter: 5), connection)
    }
    if let rejection = server.handler.accept(self) { return refuse(rejection, connection) }
    if context?.requester == nil { server.updateTable(connection) { $0.receiveAnonymously($1, at: $2) } }
    if let length = header("Content-Length").flatMap({ Int($0) }) {
      if length > bodyLimit { return refuse(tooLarge.response, connection) }
      announced = length
      if file != nil { return MHD_Result.YES }
      // Memory for an announced body is reserved only up to a moderate size.
      body.reserveCapacity(min(length, HTTPServer.Configuration.smallBody))
    }
    return MHD_Result.YES
  }

  /// Responds at once and closes the connection, without reading the rest of the request.
  private func hangUp(_ problem: Problem, _ connection: OpaquePointer) -> MHD_Result {
    queue(server.handler.complete(problem.response.with("Connection", "close"), self), connection)
  }

  /// Rejects a request whose body has not been read.
  ///
  /// Most clients read the response only after they have sent the whole body. An immediate response would close the
  /// connection while the body is being sent, and such a client would see "connection reset" instead of the reason.
  private func refuse(_ response: HTTPResponse, _ connection: OpaquePointer) -> MHD_Result {
    if header("Expect")?.lowercased() == "100-continue" {
      return queue(server.handler.complete(response, self), connection)
    }
    discard(response)
    return MHD_Result.YES
  }

  /// Discards the received part of the body, and the rest when it arrives.
  private func discard(_ response: HTTPResponse) {
    body = []
    releaseBody()
    file = nil
    phase = .discarding(response, since: .now)
  }

  /// - Returns: `NO`: the connection is closed.
  private func received(_ bytes: UnsafeRawBufferPointer) -> MHD_Result {
    let configuration = server.configuration
    let size = file?.size ?? body.count
    let time = configuration.bodyTimeout + Double(size / HTTPServer.Configuration.slowestBody)
    switch phase {
    case .receiving where .now - started > .seconds(time):
      discard(Problem(408, "Too slow", "The body did not arrive within \(Int(time)) seconds.").response)
    case .receiving:
      do throws(Problem) {
        guard size + bytes.count <= bodyLimit else { throw tooLarge }
        if let file { try file.append(bytes) } else { try append(bytes) }
      } catch {
        discard(error.response)
      }
    case .discarding(let response, let since) where .now - since > .seconds(configuration.discardTimeout):
      answered(response)
      return MHD_Result.NO
    case .discarding, .waiting, .ready, .answered: break
    }
    return MHD_Result.YES
  }

  /// Appends bytes to the body in memory.
  private func append(_ bytes: UnsafeRawBufferPointer) throws(Problem) {
    let size = body.count + bytes.count
    if size > HTTPServer.Configuration.smallBody {
      let more = size - max(body.count, HTTPServer.Configuration.smallBody)
      let all = server.bodyBytes.wrappingAdd(more, ordering: .relaxed).newValue
      counted += more
      guard all <= server.configuration.bodyMemory else {
        throw Problem(
          503, "Too many bodies", "The memory for large bodies is in use. Send it again in a moment.",
          retryAfter: 5)
      }
      // The capacity is doubled each time, up to the announced length.
      if body.capacity < size { body.reserveCapacity(max(size, min(body.capacity * 2, announced ?? .max))) }
    }
    body.append(contentsOf: bytes)
  }

  /// Subtracts the body from the bytes of all bodies in memory.
  private func releaseBody() {
    guard counted > 0 else { return }
    server.bodyBytes.wrappingSubtract(counted, ordering: .relaxed)
    counted = 0
  }

  private func proceed(_ connection: OpaquePointer) -> MHD_Result {
    switch phase {
    case .receiving:
      switch server.handler.respond(self) {
      case .now(let response): return queue(server.handler.complete(response, self), connection)
      case .later: return MHD_Result.YES
      }
    case .discarding(let response, _): return queue(server.handler.complete(response, self), connection)
    case .ready(let response): return queue(response, connection)
    // libmicrohttpd does not call for a suspended connection. If it did, the response would still follow later.
    case .waiting: return MHD_Result.YES
    case .answered: return MHD_Result.NO
    }
  }

  private var bodyLimit: Int { file?.limit ?? maximumBody ?? server.configuration.maximumBody }

  private var tooLarge: Problem {
    Problem(
      413, "Body too large",
      "A body may have at most \(bodyLimit) bytes. Send the records in several requests.")
  }

  private func queue(_ response: HTTPResponse, _ connection: OpaquePointer) -> MHD_Result {
    phase = .answered
    body = []
    answered(response)
    let made: OpaquePointer?
    switch response.body {
    case .bytes(let bytes):
      made = bytes.withUnsafeBytes { godwit_response($0.baseAddress, $0.count) }
    case .events(let source):
      made = EventStream.response(for: source, on: connection, of: server)
    case .streaming(let bytes):
      made = StreamedResponse.response(for: bytes, on: connection, of: server)
    }
    guard let made else { return MHD_Result.NO }
    defer { MHD_destroy_response(made) }
    for header in response.headers + moreHeaders { MHD_add_response_header(made, header.name, header.value) }
    if server.isStopping { MHD_add_response_header(made, "Connection", "close") }
    return MHD_queue_response(connection, UInt32(response.status), made)
  }
}
