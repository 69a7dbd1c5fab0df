internal import CPostgres

/// A session with a PostgreSQL server.
///
/// A session belongs to one thread or actor at a time. Therefore the type is not `Sendable`. Each call waits for the server's
/// answer, up to its timeout. If the server is lost or does not answer, the call throws a ``PostgresError``, `isAlive` becomes
/// false, and the session cannot be used any more. The caller must open another session.
public final class PostgresSession {
  let connection: OpaquePointer
  /// The address of the database.
  public let address: PostgresAddress
  private let limits: Limits
  private var placeholders: [String: Placeholders] = [:]
  private var prepared: [PreparedKey: String] = [:]
  private var preparedCount = 0
  /// Maximum seconds to wait for an answer; afterwards the session cannot be used any more. Initially 5 s more than the statement
  /// timeout of the server.
  public var timeout: Int
  /// Whether the session can be used.
  public private(set) var isAlive = true
  /// The last warning of the server since the last statement began.
  private var warning: String?

  /// Timeouts of a session in seconds.
  public struct Limits: Sendable {
    /// The timeout of connecting.
    public var connect: Int
    /// The timeout of a statement on the server. The session itself waits 5 s longer, in case the server is lost.
    public var statement: Int
    /// The time after which the server ends an idle transaction, so that a hanging program does not keep its locks.
    public var idleTransaction: Int

    public init(connect: Int = 5, statement: Int = 30, idleTransaction: Int = 60) {
      self.connect = connect
      self.statement = statement
      self.idleTransaction = idleTransaction
    }
  }

  private struct PreparedKey: Hashable {
    let sql: String
    let types: [PostgresType?]
  }
  /// Maximum prepared statements. When there are more, all are discarded.
  private static let keptStatements = 400
  /// The oldest supported version of the server.
  private static let oldestServer: Int32 = 150_000

  /// Connects to a server.
  /// - Throws: ``PostgresError`` if the server does not answer in time, rejects the sign-in, or cannot be used.
  public init(_ address: PostgresAddress, limits: Limits = Limits()) throws(PostgresError) {
    self.address = address
    self.limits = limits
    timeout = limits.statement + 5
    var parts: [(String, String)] = [
      // The values of the address follow and override these, except the encoding.
      ("fallback_application_name", "godwit"), ("connect_timeout", String(limits.connect)),
      // A lost machine of the server is detected after 10 + 3 × 5 s while waiting, and after 15 s while sending.
      ("keepalives_idle", "10"), ("keepalives_interval", "5"), ("keepalives_count", "3"), ("tcp_user_timeout", "15000"),
    ]
    // Of a server and its standby, uses the one that can write, unless the address requests another.
    if address.hasSeveralServers { parts.append(("target_session_attrs", "read-write")) }
    parts += address.parts.map { ($0.key, $0.value) } + [("client_encoding", "UTF8")]
    let opened = Self.withTexts(parts.map(\.0)) { keys in
      Self.withTexts(parts.map(\.1)) { values in PQconnectdbParams(keys, values, 0) }
    }
    guard let opened else {
      throw PostgresError(kind: .resources, message: "out of memory", address: address.description)
    }
    connection = opened
    guard PQstatus(opened) == CONNECTION_OK else {
      let message = String(cString: PQerrorMessage(opened)).trimmed
      let rejected = ["authentication failed", "does not exist", "no pg_hba.conf entry", "no password supplied", "not permitted"]
      let full = ["too many clients", "remaining connection slots", "too many connections"]
      let kind: PostgresError.Kind =
        rejected.contains(where: message.contains)
        ? .admission : full.contains(where: message.contains) ? .resources : .connection
      throw PostgresError(kind: kind, message: message, address: address.description)
    }
    try begin()
  }

  deinit { PQfinish(connection) }

  /// Checks the server, and sets the parameters of the session.
  private func begin() throws(PostgresError) {
    receiveNotices()
    let version = PQserverVersion(connection)
    guard version >= Self.oldestServer else {
      throw PostgresError(
        kind: .unsuitable, message: "the server is PostgreSQL \(version / 10_000), which is too old; use 15 or newer",
        address: address.description)
    }
    let encoding = PQparameterStatus(connection, "server_encoding").map { String(cString: $0) } ?? ""
    guard encoding == "UTF8" else {
      throw PostgresError(
        kind: .unsuitable,
        message: "the database has the encoding \(encoding); create one with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE "
          + "template0",
        address: address.description)
    }
    PQsetnonblocking(connection, 1)
    // A commit that was reported is durable, regardless of the server's default. JIT compilation takes longer than the short
    // queries themselves.
    try execute(
      """
      SELECT set_config('statement_timeout', '\(limits.statement)s', false),
        set_config('idle_in_transaction_session_timeout', '\(limits.idleTransaction)s', false),
        set_config('client_min_messages', 'warning', false), set_config('timezone', 'UTC', false),
        set_config('standard_conforming_strings', 'on', false), set_config('jit', 'off', false),
        set_config('synchronous_commit',
          CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, false)
      """)
  }

  /// Keeps the server's warnings, which libpq would print otherwise.
  private func receiveNotices() {
    // libpq calls this only while a method of the session waits, never after deinit has closed the connection.
    PQsetNoticeReceiver(
      connection,
      { context, result in
        guard let context, let severity = PQresultErrorField(result, 0x56), String(cString: severity) == "WARNING" else { return }
        let text = PQresultErrorField(result, 0x4D).map { String(cString: $0) } ?? ""
        Unmanaged<PostgresSession>.fromOpaque(context).takeUnretainedValue().warning = text
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  // MARK: Statements

  /// Runs one or several statements without parameters. Their rows are ignored.
  /// - Throws: ``PostgresError``, also after a commit with a warning: an administrator has cancelled the wait for the standby,
  ///   which may not have the transaction.
  public func execute(_ sql: String) throws(PostgresError) {
    warning = nil
    try send(sql) { PQsendQuery(connection, sql) }
    let result = try respond(sql)
    defer { PQclear(result) }
    if let warning, PQcmdStatus(result).map({ String(cString: $0) }) == "COMMIT" {
      throw PostgresError(
        kind: .unavailable, message: "it is not known whether the standby has the transaction: \(warning)", sql: sql,
        address: address.description)
    }
  }

  /// Runs one statement.
  /// - Parameters:
  ///   - sql: the statement, with `?` or `?1` for parameters. It is prepared once, and reused.
  ///   - arguments: the values of the parameters.
  /// - Returns: the result.
  @discardableResult
  public func run(_ sql: String, _ arguments: [PostgresValue] = []) throws(PostgresError) -> PostgresRows {
    let name = try prepare(sql, arguments)
    // All values are in one buffer, and C receives pointers into it.
    var bytes: [UInt8] = []
    var ends: [Int] = []
    for argument in arguments where argument.type != nil {
      argument.append(to: &bytes)
      ends.append(bytes.count)
    }
    // An empty value is not NULL, so it needs an address.
    bytes.append(0)
    let starts = [0] + ends.dropLast()
    let lengths = zip(starts, ends).map { Int32($1 - $0) }
    let formats = [Int32](repeating: 1, count: ends.count)
    try send(sql) {
      bytes.withUnsafeBytes { buffer in
        let base = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
        let values = zip(starts, ends).map { start, _ in base.map { $0 + start } }
        return PQsendQueryPrepared(connection, name, Int32(ends.count), values, lengths, formats, 1)
      }
    }
    return try PostgresRows(try respond(sql), address: address.description, sql: sql)
  }

  /// The first column of the first row as text; `nil` if there is no row or the value is NULL.
  public func text(_ sql: String, _ arguments: [PostgresValue] = []) throws(PostgresError) -> String? {
    let rows = try run(sql, arguments)
    return rows.next() && !rows.isNull(0) ? rows.text(0) : nil
  }

  /// Writes many rows into a table with COPY.
  /// - Parameters:
  ///   - sql: `COPY … FROM STDIN`, optionally after other statements.
  ///   - bytes: the rows, in the format that the statement specifies.
  /// - Returns: the number of rows.
  @discardableResult
  public func copy(_ sql: String, _ bytes: [UInt8]) throws(PostgresError) -> Int {
    try send(sql) { PQsendQuery(connection, sql) }
    var opened = try nextResult(sql, before: deadline())
    while let before = opened, PQresultStatus(before) == PGRES_COMMAND_OK {
      PQclear(before)
      opened = try nextResult(sql, before: deadline())
    }
    guard let opened, PQresultStatus(opened) == PGRES_COPY_IN else {
      let error = opened.map { self.error($0, sql: sql) }
      PQclear(opened)
      try drain(sql)
      throw error
        ?? PostgresError(kind: .statement, message: "this is not a COPY FROM STDIN", sql: sql, address: address.description)
    }
    PQclear(opened)
    let end = deadline()
    var offset = 0
    while offset < bytes.count {
      let count = min(bytes.count - offset, 1 << 20)
      let sent = bytes.withUnsafeBytes { buffer in
        PQputCopyData(connection, buffer.baseAddress?.advanced(by: offset).assumingMemoryBound(to: CChar.self), Int32(count))
      }
      if sent < 0 { throw lost(sql) }
      if sent == 0 { try wait(forWriting: true, before: end, sql) } else { offset += count }
    }
    while true {
      let sent = PQputCopyEnd(connection, nil)
      if sent < 0 { throw lost(sql) }
      if sent > 0 { break }
      try wait(forWriting: true, before: end, sql)
    }
    let result = try respond(sql)
    defer { PQclear(result) }
    return PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0
  }

  /// Runs `body` in a transaction. An error rolls everything back. A transaction that failed because of a conflict is repeated.
  /// - Parameters:
  ///   - begin: the statement that begins the transaction.
  ///   - attempts: the maximum number of attempts.
  ///   - body: may run several times; only the last run is committed.
  /// - Throws: the error of `body`. If the connection is lost during the commit, the transaction may nevertheless be committed.
  public func transaction<Result>(_ begin: String = "BEGIN", attempts: Int = 8, _ body: () throws -> Result) throws -> Result {
    var attempt = 1
    while true {
      do {
        try execute(begin)
        let result = try body()
        try execute("COMMIT")
        return result
      } catch {
        // The error of `body` is thrown. If the rollback fails, the session is lost.
        if isAlive { _ = try? execute("ROLLBACK") }
        guard let conflict = error as? PostgresError, conflict.isConflict, isAlive, attempt < attempts else { throw error }
        attempt += 1
      }
    }
  }

  /// Whether a transaction is open.
  public var isInTransaction: Bool { PQtransactionStatus(connection) != PQTRANS_IDLE }

  /// The number of the server's process for the session, as in `pg_stat_activity`.
  public var process: Int64 { Int64(PQbackendPID(connection)) }

  // MARK: Preparing

  private func prepare(_ sql: String, _ arguments: [PostgresValue]) throws(PostgresError) -> String {
    let key = PreparedKey(sql: sql, types: arguments.map(\.type))
    if let name = prepared[key] { return name }
    let template = placeholders[sql] ?? Placeholders(sql)
    placeholders[sql] = template
    guard template.count == arguments.count else {
      throw PostgresError(
        kind: .statement, message: "\(arguments.count) arguments for \(template.count) parameters", sql: sql,
        address: address.description)
    }
    if prepared.count >= Self.keptStatements { try discardStatements() }
    preparedCount += 1
    let name = "s\(preparedCount)"
    let types = key.types.compactMap { $0?.rawValue }
    let text = template.sql(isNull: key.types.map { $0 == nil })
    try send(sql) { PQsendPrepare(connection, name, text, Int32(types.count), types) }
    PQclear(try respond(sql))
    prepared[key] = name
    return name
  }

  private func discardStatements() throws(PostgresError) {
    prepared.removeAll()
    placeholders.removeAll()
    // In a failed transaction this throws, like any other statement.
    try execute("DEALLOCATE ALL")
  }

  // MARK: Waiting

  private func send(_ sql: String, _ body: () -> Int32) throws(PostgresError) {
    guard isAlive else {
      throw PostgresError(kind: .connection, message: "the connection was lost earlier", sql: sql, address: address.description)
    }
    if body() == 0 { throw lost(sql) }
  }

  /// The last result of a statement. Waits until all results are received.
  private func respond(_ sql: String) throws(PostgresError) -> OpaquePointer {
    let end = deadline()
    var last: OpaquePointer?
    var failure: PostgresError?
    while let result = try nextResult(sql, before: end, keeping: last) {
      switch PQresultStatus(result) {
      case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
        PQclear(last)
        last = result
      case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
        PQclear(result)
        PQclear(last)
        throw lost(sql, message: "COPY cannot be run as a query")
      default:
        failure = failure ?? error(result, sql: sql)
        PQclear(result)
        if PQstatus(connection) == CONNECTION_BAD { isAlive = false }
      }
    }
    if let failure {
      PQclear(last)
      throw failure
    }
    guard let last else { throw lost(sql) }
    return last
  }

  private func drain(_ sql: String) throws(PostgresError) {
    let end = deadline()
    while let result = try nextResult(sql, before: end) { PQclear(result) }
  }

  /// The next result of the sent statements; `nil` if there are no more.
  private func nextResult(
    _ sql: String, before end: ContinuousClock.Instant, keeping earlier: OpaquePointer? = nil
  ) throws(PostgresError) -> OpaquePointer? {
    do {
      while true {
        let unsent = PQflush(connection)
        if unsent < 0 { break }
        if unsent == 0, PQisBusy(connection) == 0 { break }
        try wait(forWriting: unsent > 0, before: end, sql)
        // libpq reports a lost connection as a result.
        if PQconsumeInput(connection) == 0 { break }
      }
    } catch {
      PQclear(earlier)
      throw error
    }
    return PQgetResult(connection)
  }

  private func deadline() -> ContinuousClock.Instant { .now + .seconds(timeout) }

  private func wait(forWriting: Bool, before end: ContinuousClock.Instant, _ sql: String) throws(PostgresError) {
    while true {
      let left = ContinuousClock.now.duration(to: end)
      guard left > .zero else {
        isAlive = false
        throw PostgresError(
          kind: .timeout, message: "the server did not answer for \(timeout) s", sql: sql,
          address: address.description)
      }
      let milliseconds = min(60_000, left.components.seconds * 1000 + 1000)
      switch Socket.wait(PQsocket(connection), forWriting: forWriting, milliseconds: Int32(milliseconds)) {
      case .ready: return
      case .nothing: continue
      case .failed: throw lost(sql)
      }
    }
  }

  // MARK: Errors

  /// Marks the session as unusable, and returns the error of a lost connection.
  private func lost(_ sql: String, message: String? = nil) -> PostgresError {
    isAlive = false
    let said = String(cString: PQerrorMessage(connection)).trimmed
    return PostgresError(
      kind: .connection, message: message ?? (said.isEmpty ? "the connection was lost" : said), sql: sql,
      address: address.description)
  }

  private func error(_ result: OpaquePointer, sql: String) -> PostgresError {
    func field(_ code: Character) -> String? {
      PQresultErrorField(result, Int32(code.asciiValue ?? 0)).map { String(cString: $0) }
    }
    let state = field("C") ?? ""
    let isLost = PQstatus(connection) == CONNECTION_BAD
    if isLost { isAlive = false }
    // Only the primary message, because the details repeat values.
    let message = field("M") ?? String(cString: PQresultErrorMessage(result)).trimmed
    return PostgresError(
      kind: isLost || state.isEmpty ? .connection : PostgresError.kind(ofState: state), state: state, message: message, sql: sql,
      address: address.description)
  }

  private static func withTexts<Result>(
    _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
  ) -> Result {
    // All texts are in one buffer, each terminated by a zero.
    var bytes: [CChar] = []
    var starts: [Int] = []
    for text in texts {
      starts.append(bytes.count)
      bytes += text.utf8CString
    }
    return bytes.withUnsafeBufferPointer { buffer in
      let pointers = starts.map { start in buffer.baseAddress.map { $0 + start } } + [nil]
      return pointers.withUnsafeBufferPointer { list in
        // The list contains at least the nil at its end, so it has an address.
        body(list.baseAddress!)
      }
    }
  }
}
