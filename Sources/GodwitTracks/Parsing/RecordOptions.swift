/// The order of day and month in dates such as 01/02/2024.
public enum DateOrder: String, Sendable, Hashable, Codable, CaseIterable {
  /// 01/02/2024 is 1 February 2024.
  case dayFirst = "dmy"
  /// 01/02/2024 is 2 January 2024.
  case monthFirst = "mdy"
}

/// Options for properties that a file of records does not specify.
public struct RecordOptions: Sendable, Hashable {
  /// The order of day and month. With `nil`, the first date of the file with a number above 12 determines it.
  public var dateOrder: DateOrder?

  /// - Parameter dateOrder: The order of day and month. With `nil`, the first date of the file with a number above 12 determines
  ///   it.
  public init(dateOrder: DateOrder? = nil) { self.dateOrder = dateOrder }
}
