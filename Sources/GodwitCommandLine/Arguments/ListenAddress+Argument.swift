package import GodwitHTTP

extension ListenAddress: ArgumentValue {
  package init(argument: String) throws(UsageError) {
    guard let address = ListenAddress(argument) else {
      throw UsageError("\"\(argument)\" is not a valid address; write 127.0.0.1:8080, 0.0.0.0:8080 or [::1]:8080")
    }
    self = address
  }

  /// Where a server listens when no option says otherwise.
  // Valid: a literal of the form that the type reads.
  package static let server = ListenAddress("127.0.0.1:8080")!
}
