public import GodwitModel

/// Access to a journal without a tracker, for the benchmark of appends, which is a separate package.
@_spi(Benchmarks)
extension Journal {
  /// Opens a journal with one endpoint that receives nothing.
  public static func measured(path: String) throws -> Journal {
    let journal = try Journal(path: path)
    try journal.register(endpoint: "none")
    return journal
  }

  /// Appends one record, as a tracker does.
  public func measureAppend(of record: Record) throws { try append([record], recordedAt: record.time) }
}
