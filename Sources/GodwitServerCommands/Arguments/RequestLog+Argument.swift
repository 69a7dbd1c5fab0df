internal import GodwitCommandLine
internal import GodwitHTTP

extension RequestLog.Format: ArgumentValue {
  init(argument: String) throws(UsageError) {
    guard let format = RequestLog.Format(rawValue: argument) else {
      throw UsageError(
        "\"\(argument)\" is no format; there are \(RequestLog.Format.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    self = format
  }
}

extension RequestLog.Level: ArgumentValue {
  init(argument: String) throws(UsageError) {
    guard let level = RequestLog.Level(rawValue: argument) else {
      throw UsageError(
        "\"\(argument)\" is no level; there are \(RequestLog.Level.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    self = level
  }
}
