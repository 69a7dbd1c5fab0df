package import Foundation
package import GodwitEngine
package import GodwitHTTPClient
package import GodwitJournal
internal import GodwitLocks
package import GodwitModel
internal import GodwitWire

/// Uploads batches from the journal to an endpoint, and stores the results in the journal.
package struct Delivery: Sendable {
  /// The content of a success response of an endpoint.
  package struct Acknowledgement: Sendable {
    package var bytes: Int
    /// Settings to change, as the text of a JSON object; `nil`: none.
    package var settings: String?
    package var placeName: String?
    /// The digest of the device's regions on the server; `nil`: the response has none.
    package var regions: String?
  }

  /// The result of an upload, before the waiting records are counted in the journal.
  package enum Outcome: Sendable {
    case acknowledged(Acknowledgement)
    case nothingToSend
    case notYet(until: Date)
    case failed(reason: String, retryAfter: Double?)
    case rejected(reason: String, count: Int)
    /// The server failed at this batch and reported no reason other than this status.
    case faulted(reason: String, status: Int, count: Int)
    case unauthorized(reason: String)
  }

  let journal: Journal
  let client: HTTPClient
  let now: @Sendable () -> Date
  let tokens = Tokens()
  /// The record that each endpoint rejected last, with the sequence numbers before it that the endpoint does not get.
  private let rejected = EndpointMemory<ClosedRange<Int64>>()
  /// The records that each endpoint has, and that the journal could not store as acknowledged.
  private let unwritten = EndpointMemory<AcknowledgedNumbers>()

  package init(journal: Journal, client: HTTPClient, now: @escaping @Sendable () -> Date) {
    self.journal = journal
    self.client = client
    self.now = now
  }

  /// Performs an upload. The journal is changed only after the endpoint has acknowledged the batch.
  package func upload(to endpoint: Endpoint, _ request: UploadRequest, settings: Settings) async -> Outcome {
    // Sent again, many servers would store the records twice.
    if let numbers = unwritten[endpoint.id] {
      return failure(toStore: numbers, of: endpoint.id) ?? .acknowledged(Acknowledgement(bytes: numbers.bytes))
    }
    var selection: Selection
    do {
      if request.isProbing, let pair = try pair(for: endpoint, request, settings: settings) {
        return await probe(pair.first, pair.next, endpoint, request, settings)
      }
      selection =
        try await unfinished(for: endpoint, request, settings: settings) ?? select(for: endpoint, request, settings: settings)
      // The selection has only records that the endpoint does not get or that its format cannot carry. It is skipped.
      while selection.records.isEmpty, !selection.isEmpty {
        try skip(selection.from...selection.through, of: endpoint.id, settingAside: selection.quarantined)
        selection = try select(for: endpoint, request, settings: settings)
      }
    } catch { return .failed(reason: "The journal cannot be read: \(error)", retryAfter: nil) }
    if selection.isEmpty, !request.isAsking || selection.format.maximumPerRequest == 1 {
      return selection.notBefore.map { .notYet(until: $0) } ?? .nothingToSend
    }
    switch await attempt(selection, endpoint, request, settings) {
    case .accepted(let rejected, let acknowledgement):
      selection.quarantined += rejected
      return acknowledged([selection], by: endpoint, acknowledgement)
    // A request without records asks for settings. Its rejection concerns no record.
    case .not(.rejected(let reason, 0)), .not(.faulted(let reason, _, 0)): return .failed(reason: reason, retryAfter: nil)
    case .not(let outcome):
      // The sequence number of the rejected record is the last one of the range. Records before it are skipped with it.
      if case .rejected = outcome, selection.records.count == 1 {
        rejected[endpoint.id] = selection.from...selection.records[0].sequence
      }
      return outcome
    }
  }

  // MARK: One request

  /// The result of one request.
  private enum Reply {
    /// The server has stored the batch, except for these records.
    case accepted(rejected: [(sequence: Int64, reason: String)], Acknowledgement)
    case not(Outcome)
  }

  private func attempt(
    _ selection: Selection, _ endpoint: Endpoint, _ request: UploadRequest, _ settings: Settings
  ) async -> Reply {
    let (response, bytes): (HTTPClient.Response, Int)
    do { (response, bytes) = try await send(selection, to: endpoint, request, settings: settings) } catch let error as TokenError
    {
      let happened = error.isAfterRejection ? "the server rejected the token, and there is no new one" : "there is no token"
      return .not(.failed(reason: "\(endpoint): \(happened): \(error.reason)", retryAfter: nil))
    } catch {
      return .not(.failed(reason: "\(endpoint) did not answer: \(error.localizedDescription)", retryAfter: nil))
    }
    let secrets = await tokens.secrets(of: endpoint)
    if (300..<400).contains(response.status) {
      let target = response.headers["location"].flatMap { URL(string: $0, relativeTo: endpoint.address.filled(with: nil)) }
      let to = target.map { " to " + secrets.hidden(in: Endpoint.shown($0)) } ?? ""
      return .not(.failed(reason: "\(endpoint) redirects\(to). Name the address that it redirects to.", retryAfter: nil))
    }
    let count = selection.records.count
    // A web page comes from a proxy, a login or a captive portal. It is not a response about the records.
    if let reason = response.pageProblem {
      if (200..<300).contains(response.status) { return .not(.failed(reason: "\(endpoint): \(reason)", retryAfter: nil)) }
      if [400, 413, 422].contains(response.status) {
        return .not(.faulted(reason: "\(endpoint): \(reason)", status: response.status, count: count))
      }
    }
    switch selection.format.response(status: response.status, body: response.body) {
    case .accepted(let rejected, let settings, let placeName, let regions):
      let quarantined = rejected.filter { selection.records.indices.contains($0.index) }.map { rejection in
        (sequence: selection.records[rejection.index].sequence, reason: secrets.hidden(in: rejection.reason))
      }
      // A failed write is harmless, because the next response has the same result.
      try? journal.recognize(endpoint: endpoint.id.name, as: response.isGodwits ? .godwit : .other)
      return .accepted(
        rejected: quarantined,
        Acknowledgement(bytes: bytes, settings: settings, placeName: placeName, regions: regions))
    case .rejected(let reason):
      let reason = "\(endpoint): \(secrets.hidden(in: reason))"
      // With several records, the size of the batch is the cause and not one of the records.
      if response.status == 413, count > 1 { return .not(.faulted(reason: reason, status: 413, count: count)) }
      return .not(.rejected(reason: reason, count: count))
    case .unauthorized(let reason): return .not(.unauthorized(reason: "\(endpoint): \(secrets.hidden(in: reason))"))
    case .failed(let reason):
      let retryAfter = response.retryAfter(now: now())
      let reason = "\(endpoint): \(secrets.hidden(in: reason))"
      guard (500..<600).contains(response.status), retryAfter == nil else {
        return .not(.failed(reason: reason, retryAfter: retryAfter))
      }
      return .not(.faulted(reason: reason, status: response.status, count: count))
    }
  }

  /// Moves the cursor past batches that the endpoint has. The last batch has the largest sequence numbers.
  private func acknowledged(_ batches: [Selection], by endpoint: Endpoint, _ said: Acknowledgement) -> Outcome {
    guard let first = batches.first, let last = batches.last else { return .nothingToSend }
    let reported = ReportedNumbers(
      first: first.from, number: last.lastNumber, isCovered: batches.allSatisfy { $0.numbering.isRangeReported && $0.isTaken })
    let numbers = AcknowledgedNumbers(
      through: last.through, reported: reported, quarantined: batches.flatMap(\.quarantined), bytes: said.bytes)
    return failure(toStore: numbers, of: endpoint.id) ?? .acknowledged(said)
  }

  /// Stores that an endpoint has records. After a failure the next upload repeats it, and sends nothing before it succeeds.
  /// - Returns: the failure; `nil`: it is stored.
  private func failure(toStore numbers: AcknowledgedNumbers, of endpoint: EndpointID) -> Outcome? {
    do {
      try journal.acknowledge(
        endpoint: endpoint.name, through: numbers.through, reported: numbers.reported, settingAside: numbers.quarantined,
        bytes: numbers.bytes, at: now())
    } catch {
      unwritten[endpoint] = numbers
      return .failed(reason: "The journal cannot be written: \(error)", retryAfter: nil)
    }
    unwritten[endpoint] = nil
    return nil
  }

  // MARK: A record that the server fails at

  /// Returns the next two records for an endpoint, each in its own batch; `nil`: there are fewer.
  private func pair(
    for endpoint: Endpoint, _ request: UploadRequest, settings: Settings
  ) throws -> (first: Selection, next: Selection)? {
    guard request.loggingMode == .all else { return nil }
    let many = try select(for: endpoint, request, settings: settings, limit: 1000)
    guard many.records.count > 1 else { return nil }
    var (first, next) = (many, many)
    first.records = [many.records[0]]
    first.through = many.records[0].sequence
    first.quarantined = many.quarantined.filter { $0.sequence < first.through }
    next.records = [many.records[1]]
    next.from = first.through + 1
    next.through = many.records[1].sequence
    next.quarantined = many.quarantined.filter { (next.from..<next.through).contains($0.sequence) }
    next.numbering.last += 1
    next.numbering.coveredFrom = next.numbering.last + 1
    return (first, next)
  }

  /// Handles a server that fails at the first record repeatedly. The first record is quarantined only if the server accepts the
  /// next record and then fails at the first one again.
  private func probe(
    _ first: Selection, _ next: Selection, _ endpoint: Endpoint, _ request: UploadRequest, _ settings: Settings
  ) async -> Outcome {
    var (first, next) = (first, next)
    guard case .accepted(let rejectedNext, var said) = await attempt(next, endpoint, request, settings) else {
      return .faulted(reason: "\(endpoint): The server fails at every record.", status: 0, count: 1)
    }
    next.quarantined += rejectedNext
    switch await attempt(first, endpoint, request, settings) {
    case .accepted(let rejected, let again):
      first.quarantined += rejected
      said.bytes += again.bytes
      return acknowledged([first, next], by: endpoint, said)
    case .not(.faulted(let reason, _, _)), .not(.rejected(let reason, _)):
      first.isTaken = false
      first.quarantined.append((first.through, "The server fails only on this record. " + reason))
      return acknowledged([first, next], by: endpoint, said)
    case .not(let outcome): return outcome
    }
  }

  /// Quarantines the record that an endpoint rejected last, alone in its batch. If there was no such rejection, the next record
  /// of the endpoint is quarantined.
  package func quarantineNext(of endpoint: EndpointID, reason: String) throws {
    if let numbers = rejected[endpoint] {
      rejected[endpoint] = nil
      return try skip(numbers, of: endpoint, reported: 1, settingAside: [(numbers.upperBound, reason)])
    }
    guard let next = try journal.next(endpoint: endpoint.name, limit: 1).first else { return }
    try skip(next.sequence...next.sequence, of: endpoint, reported: 1, settingAside: [(next.sequence, reason)])
  }

  // MARK: Selection

  /// The records of an upload, and the sequence numbers that are acknowledged with them.
  private struct Selection {
    var format: any EndpointFormat
    var records: [(sequence: Int64, record: Record)] = []
    /// The records that the format cannot carry, with the reason.
    var quarantined: [(sequence: Int64, reason: String)] = []
    var from: Int64
    var through: Int64
    var notBefore: Date?
    /// The number of records of the journal, including those that the endpoint does not get.
    var rows = 0
    var numbering: EndpointNumbering
    /// Whether the endpoint has stored the batch.
    var isTaken = true
    var isEmpty: Bool { through < from }
    /// The number of the last record for the endpoint.
    var lastNumber: Int64 { numbering.last + Int64(records.count) }
  }

  private func select(
    for endpoint: Endpoint, _ request: UploadRequest, settings: Settings, limit: Int? = nil
  ) throws -> Selection {
    let format = Self.format(of: endpoint, request.loggingMode, settings)
    let batch = try journal.batch(
      endpoint: endpoint.id.name, limit: limit ?? min(request.limit, format.maximumPerRequest),
      latestOnly: request.loggingMode != .all,
      recordedBefore: endpoint.delay > 0 ? now().addingTimeInterval(-endpoint.delay) : nil, delay: endpoint.delay)
    var selection = Selection(
      format: format, from: batch.after + 1, through: batch.through, notBefore: batch.notBefore, rows: batch.records.count,
      numbering: try journal.numbering(endpoint: endpoint.id.name))
    for (sequence, record) in batch.records {
      guard var reported = Self.permitted(record, for: endpoint) else { continue }
      if format.carries(reported) {
        reported.id = RecordID(
          journal: selection.numbering.identifier, sequence: RecordNumber(clamping: selection.lastNumber + 1))
        selection.records.append((sequence, reported))
      } else if record.isWorthKeeping {
        selection.quarantined.append((sequence, "The endpoint's format cannot represent this kind of record."))
      }
    }
    return selection
  }

  /// Returns the batch whose upload an earlier launch started, if the endpoint would still get the same batch. Its request is
  /// then continued and not repeated. Other requests of earlier launches to the endpoint are cancelled.
  private func unfinished(for endpoint: Endpoint, _ request: UploadRequest, settings: Settings) async throws -> Selection? {
    guard let earlier = client.earlier else { return nil }
    var found: Selection?
    for text in await earlier.names() {
      guard let name = BatchName(text), name.endpoint == endpoint.id.name else { continue }
      let selection = try select(for: endpoint, request, settings: settings, limit: name.rows)
      if found == nil, self.name(of: selection, for: endpoint, request) == name {
        found = selection
      } else {
        earlier.cancel(text)
      }
    }
    return found
  }

  /// Returns the name of a batch; `nil`: a later launch would not select these records again.
  private func name(of selection: Selection, for endpoint: Endpoint, _ request: UploadRequest) -> BatchName? {
    guard request.loggingMode == .all, !selection.records.isEmpty else { return nil }
    let ids = selection.records.map(\.record.id)
    return BatchName(endpoint, from: selection.from, through: selection.through, rows: selection.rows, records: ids)
  }

  /// Returns the format for the logging mode: Overland endpoints use OwnTracks in the mode of that name.
  private static func format(of endpoint: Endpoint, _ mode: LoggingMode, _ settings: Settings) -> any EndpointFormat {
    guard var overland = endpoint.format as? OverlandFormat else { return endpoint.format }
    if mode == .owntracks { return OwnTracksFormat() }
    overland.acceptsAny2xx = overland.acceptsAny2xx || settings.acceptsAny2xx
    return overland
  }

  /// Returns the record with the fields that an endpoint may get; `nil` if it may not get the record.
  static func permitted(_ record: Record, for endpoint: Endpoint) -> Record? {
    guard let record = endpoint.leftOut.leavingOut(record) else { return nil }
    let filtered = endpoint.fields.filtering(record, received: record.received ?? record.time)
    return endpoint.precision.applied(to: filtered)
  }

  private func send(
    _ selection: Selection, to endpoint: Endpoint, _ request: UploadRequest, settings: Settings
  ) async throws -> (HTTPClient.Response, bytes: Int) {
    let token = try await tokens.token(for: endpoint)
    let more =
      journal.waiting(endpoint: endpoint.id.name) > selection.through - selection.from + 1 && request.loggingMode == .all
    var batch = OutgoingBatch(
      records: selection.records.map(\.record), current: more ? newest(for: endpoint) : nil,
      trip: request.trip.map { self.permitted($0, for: endpoint) }, deviceID: settings.deviceID, token: token)
    var outgoing = try self.request(selection, batch, endpoint)
    // If requests end with the program, no later launch asks for their names.
    if client.earlier != nil { outgoing.name = name(of: selection, for: endpoint, request)?.text }
    var response = try await client.send(outgoing)
    // An expired token is refreshed once; a second 401 is final.
    if response.status == 401, endpoint.token.canRefresh {
      batch.token = try await tokens.token(for: endpoint, rejected: token)
      outgoing = try self.request(selection, batch, endpoint)
      response = try await client.send(outgoing)
    }
    return (response, outgoing.body.count + outgoing.url.absoluteString.utf8.count)
  }

  private func request(_ selection: Selection, _ batch: OutgoingBatch, _ endpoint: Endpoint) throws -> HTTPClient.Request {
    let message = selection.format.message(batch)
    // A format with one record in a request may put it into the address only. The address must then contain the record that is
    // acknowledged.
    let current = selection.format.maximumPerRequest == 1 ? nil : batch.current
    let newest = current ?? batch.records.last { if case .fix = $0.kind { true } else { false } }
    guard var url = endpoint.address.filled(with: newest) else {
      throw HTTPError("the address is not valid after the position is inserted")
    }
    if !message.query.isEmpty, !endpoint.address.hasPlaces,
      var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
    {
      let query = components.percentEncodedQuery.flatMap { $0.isEmpty ? nil : $0 + "&" } ?? ""
      components.percentEncodedQuery = query + message.query
      url = components.url ?? url
    }
    var headers = message.headers
    if let type = message.contentType { headers["Content-Type"] = type }
    headers["User-Agent"] = "Godwit/0.1"
    // The range of numbers lets a server detect missing records. Only Godwit servers get it.
    if !selection.records.isEmpty, selection.numbering.isRangeReported {
      let range = SequenceRange(
        journal: selection.numbering.identifier,
        numbers: RecordNumber(clamping: selection.numbering.coveredFrom)...RecordNumber(clamping: selection.lastNumber),
        since: selection.numbering.since.map { RecordNumber(clamping: $0) })
      headers[SequenceRange.header] = range.description
    }
    if let token = batch.token, !token.isEmpty {
      switch selection.format.authentication {
      case .bearer: headers["Authorization"] = "Bearer \(token)"
      case .basic:
        let pair = token.contains(":") ? token : token + ":"
        headers["Authorization"] = "Basic " + Data(pair.utf8).base64EncodedString()
      }
    }
    // User headers override defaults; names are case-insensitive.
    for name in headers.keys where endpoint.headers.keys.contains(where: { $0.lowercased() == name.lowercased() }) {
      headers[name] = nil
    }
    headers.merge(endpoint.headers) { _, owner in owner }
    return HTTPClient.Request(
      method: message.method, url: url, headers: headers, body: message.body, timeout: endpoint.timeout,
      trust: endpoint.trust)
  }

  private func permitted(_ trip: RunningTrip, for endpoint: Endpoint) -> RunningTrip {
    var reported = trip
    reported.startFix = trip.startFix.flatMap { Self.permitted($0, received: trip.start, for: endpoint) }
    reported.lastFix = trip.lastFix.flatMap { Self.permitted($0, received: now(), for: endpoint) }
    return reported
  }

  /// Returns a fix that is sent in addition to the records, with the fields that an endpoint may get; `nil`: it may not get the
  /// fix.
  private static func permitted(_ fix: Fix, received: Date, for endpoint: Endpoint) -> Fix? {
    var record = Record(kind: .fix(fix))
    record.received = received
    guard case .fix(let reported)? = permitted(record, for: endpoint)?.kind else { return nil }
    return reported
  }

  /// Returns the newest position, without an identifier: it is sent in addition to the batch and is not acknowledged.
  private func newest(for endpoint: Endpoint) -> Record? {
    // An error is ignored: the position only helps the reader of a long queue. An endpoint with a delay does not get the present
    // position.
    guard endpoint.delay == 0, let fix = try? journal.newestFix() else { return nil }
    return Self.permitted(fix, received: now(), for: endpoint).map { Record(kind: .fix($0)) }
  }

  // MARK: Skipped records

  /// Acknowledges records that an endpoint does not get or has rejected. `reported` of them have a number for the endpoint, which
  /// the range of the next request covers.
  private func skip(
    _ numbers: ClosedRange<Int64>, of endpoint: EndpointID, reported: Int64 = 0,
    settingAside: [(sequence: Int64, reason: String)]
  ) throws {
    let last = try journal.numbering(endpoint: endpoint.name).last
    try journal.acknowledge(
      endpoint: endpoint.name, through: numbers.upperBound,
      reported: ReportedNumbers(first: numbers.lowerBound, number: last + reported, isCovered: false), settingAside: settingAside,
      at: now())
  }
}

/// The sequence numbers of records that an endpoint has.
private struct AcknowledgedNumbers: Sendable {
  var through: Int64
  var reported: ReportedNumbers
  var quarantined: [(sequence: Int64, reason: String)]
  /// The size of the upload.
  var bytes: Int
}

/// A value for each endpoint, until the end of the program.
private final class EndpointMemory<Value: Sendable>: Sendable {
  private let values = Mutex<[EndpointID: Value]>([:])

  subscript(endpoint: EndpointID) -> Value? {
    get { values.withLock { $0[endpoint] } }
    set { values.withLock { $0[endpoint] = newValue } }
  }
}

extension Record {
  /// Whether a record is quarantined if it is not accepted. Actions of the tracker are skipped without a trace.
  fileprivate var isWorthKeeping: Bool {
    switch kind {
    case .fix, .visit, .trip, .region: true
    case .action: false
    }
  }
}
