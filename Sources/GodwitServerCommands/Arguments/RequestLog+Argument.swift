internal import GodwitCommandLine
internal import GodwitHTTP

extension RequestLog.Format: ArgumentValue {
  init(argument: String) throws(UsageError) {
    guard let format = RequestLog.Format(rawValue: argument) else {
      throw UsageError(
        "\"\(argument)\" is not a format; expected one of \(RequestLog.Format.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    self = format
  }
}

extension RequestLog.Level: ArgumentValue {
  init(argument: String) throws(UsageError) {
    guard let level = RequestLog.Level(rawValue: argument) else {
      throw UsageError(
        "\"\(argument)\" is not a level; expected one of \(RequestLog.Level.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    self = level
  }
}
