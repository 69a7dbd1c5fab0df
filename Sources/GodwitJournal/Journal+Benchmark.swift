public import GodwitModel

/// A journal without a tracker, for the benchmark of appends, which is a package of its own.
@_spi(Benchmarks)
extension Journal {
  public static func measured(path: String) throws -> Journal {
    let journal = try Journal(path: path)
    try journal.register(endpoint: "none")
    return journal
  }

  public func measureAppend(of record: Record) throws { try append([record], recordedAt: record.time) }
}
