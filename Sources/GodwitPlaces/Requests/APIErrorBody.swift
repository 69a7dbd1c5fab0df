/// What a service put into the body of an answer that is no success. Every service has its own shape; this reads
/// those that are in use, and finds nothing in any other.
struct APIErrorBody: Decodable, Sendable {
  var message: String?
  /// Google's word: `PERMISSION_DENIED`.
  var status: String?
  /// Facebook's number.
  var code: Int?
  /// Google's finer words: `API_KEY_INVALID`.
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
