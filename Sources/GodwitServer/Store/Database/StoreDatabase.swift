/// The database behind the stores: points, regions, accounts and all else that the server keeps lie in one, so that what belongs
/// together is stored together or not at all.
protocol StoreDatabase: TrackStore {
  /// Which it is.
  var dialect: SQLDialect { get }

  /// Reads, in one transaction: `body` sees one state of the database. Any thread, and blocks it.
  func read<Value>(_ body: (any SQLConnection) throws -> Value) throws -> Value

  /// Writes in one transaction, in the line in which records wait as well.
  /// - Parameters:
  ///   - body: may run twice, where others' work in the same transaction fails; only what it did last holds.
  ///   - completion: called once, on a thread of the store, after the commit or the failure.
  func write<Value: Sendable>(
    _ body: @escaping @Sendable (any SQLConnection) throws -> Value,
    completion: @escaping @Sendable (Result<Value, any Error>) -> Void)

  /// Stores what waits and closes the database.
  func close()
}

extension StoreDatabase {
  /// The same, waited for.
  func write<Value: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in write(body) { continuation.resume(with: $0) } }
  }
}
