/// The body of an error response. Each service has its own format. This type reads the known formats, and is empty for any other.
struct APIErrorBody: Decodable, Sendable {
  var message: String?
  /// Google's status: `PERMISSION_DENIED`.
  var status: String?
  /// Facebook's error code.
  var code: Int?
  /// Google's detailed reasons: `API_KEY_INVALID`.
  var reasons: [String] = []

  init() {}

  private enum Keys: String, CodingKey {
    case error, message, detail, status, code, details, reason
    case errorMessage = "error_message"
  }

  init(from decoder: any Decoder) throws {
    let top = try decoder.container(keyedBy: Keys.self)
    func text(_ values: KeyedDecodingContainer<Keys>, _ key: Keys) -> String? { try? values.decode(String.self, forKey: key) }
    if let error = try? top.nestedContainer(keyedBy: Keys.self, forKey: .error) {
      message = text(error, .message)
      status = text(error, .status)
      code = try? error.decode(Int.self, forKey: .code)
      let details = (try? error.decode([LossyDecoding<Detail>].self, forKey: .details)) ?? []
      reasons = details.compactMap { $0.value?.reason }
    } else {
      message = text(top, .error) ?? text(top, .errorMessage) ?? text(top, .message) ?? text(top, .detail)
      status = text(top, .status)
    }
  }

  private struct Detail: Decodable {
    var reason: String?
  }
}
