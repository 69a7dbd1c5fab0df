package import GodwitHTTP

extension ListenAddress: ArgumentValue {
  package init(argument: String) throws(UsageError) {
    guard let address = ListenAddress(argument) else {
      throw UsageError("\"\(argument)\" is not a valid address; write 127.0.0.1:8080, 0.0.0.0:8080 or [::1]:8080")
    }
    self = address
  }

  /// Default address of a server.
  // Valid: a literal in the correct format.
  package static let server = ListenAddress("127.0.0.1:8080")!
}
