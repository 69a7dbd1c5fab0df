internal import GodwitHTTP

extension ListenAddress: ArgumentValue {
  init(argument: String) throws(UsageError) {
    guard let address = ListenAddress(argument) else {
      throw UsageError("\"\(argument)\" is no address; write 127.0.0.1:8080, 0.0.0.0:8080 or [::1]:8080")
    }
    self = address
  }
}
