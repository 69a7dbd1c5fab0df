internal import CMicrohttpd

/// Checks that the headers of a request define its end and its host unambiguously (RFC 9112, 3.2 and 6.3). A proxy in front
/// of the server may interpret an ambiguous request differently, and treat a part of it as another request (request
/// smuggling).
struct RequestFraming {
  /// Maximum bytes of the target: path and query.
  static let maximumTarget = 16 << 10
  /// Maximum number of arguments in the query.
  static let maximumArguments = 256
  /// Maximum bytes of all headers, including names.
  static let maximumHeaderBytes = 32 << 10
  static let maximumHeaders = 128

  private var hosts = 0
  private var lengths = 0
  private var codings = 0
  private var isChunked = true
  private var count = 0
  private var bytes = 0
  private var badName = false
  private var badValue = false

  init() {}

  /// Adds a header. Headers are added in their order.
  mutating func add(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
    count += 1
    bytes += name.count + value.count + 4
    if name.isEmpty || !name.allSatisfy(Self.isTokenByte) { badName = true }
    if value.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) { badValue = true }
    switch name.count {
    case 4 where Self.isEqual(name, "host"): hosts += 1
    case 14 where Self.isEqual(name, "content-length"): lengths += 1
    case 17 where Self.isEqual(name, "transfer-encoding"):
      codings += 1
      isChunked = isChunked && Self.isEqual(value, "chunked")
    default: break
    }
  }

  /// Returns the first fault; `nil`: there is none.
  /// - Parameter version: `HTTP/1.1`.
  func problem(version: String) -> Problem? {
    if count > Self.maximumHeaders || bytes > Self.maximumHeaderBytes {
      return Problem(
        431, "Headers too large",
        "The request has \(count) headers of \(bytes) bytes; expected at most \(Self.maximumHeaders) of \(Self.maximumHeaderBytes) bytes."
      )
    }
    if badName { return Self.bad("the name of a header is not a token; send no blank before the colon") }
    if badValue { return Self.bad("a header has a control character in its value") }
    if hosts > 1 { return Self.bad("there are \(hosts) Host headers; send one") }
    if hosts == 0, version == "HTTP/1.1" { return Self.bad("there is no Host header; send one") }
    if lengths > 1 { return Self.bad("there are \(lengths) Content-Length headers; send one") }
    guard codings > 0 else { return nil }
    if lengths > 0 { return Self.bad("there are Content-Length and Transfer-Encoding; send one of them") }
    if codings > 1 || !isChunked { return Self.bad("the Transfer-Encoding is not chunked, the only supported one") }
    if version == "HTTP/1.0" { return Self.bad("HTTP/1.0 has no Transfer-Encoding; send Content-Length") }
    return nil
  }

  /// The problem of malformed header lines.
  static let brokenLines = bad(
    "a header line does not end with CR LF, continues in the next line, or has more than one blank between its parts")

  /// The problem of a target that is too long.
  static let targetTooLong = Problem(
    414, "Address too long",
    "The address of the request has more than \(maximumTarget) bytes or \(maximumArguments) arguments. Send fewer.")

  /// The problem of a target with a zero byte: libmicrohttpd treats it as the end of the target.
  static let hasZeroByte = Problem(
    400, "Bad address", "The address of the request has a zero byte (%00), which no name has. Send the address without it.")

  private static func bad(_ reason: String) -> Problem {
    Problem(400, "Bad request", "The end of the request is ambiguous: \(reason). The connection is closed.")
  }

  /// A fault of a target.
  enum TargetFault: Int {
    case tooLong = 1
    case blank
    case zeroByte

    var problem: Problem {
      switch self {
      case .tooLong: targetTooLong
      case .blank: brokenLines
      case .zeroByte: hasZeroByte
      }
    }
  }

  private static func hasEncodedZero(_ target: UnsafeRawBufferPointer) -> Bool {
    target.indices.dropLast(2).contains {
      target[$0] == UInt8(ascii: "%") && target[$0 + 1] == UInt8(ascii: "0") && target[$0 + 2] == UInt8(ascii: "0")
    }
  }

  /// Checks a target before it is parsed.
  /// - Parameter target: the target as received, still percent-encoded.
  /// - Returns: `nil`: the target is valid.
  static func fault(ofTarget target: UnsafeRawBufferPointer) -> TargetFault? {
    if target.count > maximumTarget { return .tooLong }
    if target.contains(where: { $0 <= 0x20 || $0 == 0x7F }) { return .blank }
    if hasEncodedZero(target) { return .zeroByte }
    guard let questionMark = target.firstIndex(of: UInt8(ascii: "?")) else { return nil }
    return target[questionMark...].count(where: { $0 == UInt8(ascii: "&") }) < maximumArguments ? nil : .tooLong
  }

  /// Whether a byte may be in a token (RFC 9110, 5.6.2).
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"), UInt8(ascii: "'"),
      UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "_"),
      UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
      true
    default: false
    }
  }

  /// - Parameter word: a word in lowercase.
  private static func isEqual(_ bytes: UnsafeRawBufferPointer, _ word: StaticString) -> Bool {
    guard bytes.count == word.utf8CodeUnitCount else { return false }
    return zip(bytes, UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)).allSatisfy { byte, expected in
      byte == expected || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) && byte | 0x20 == expected
    }
  }
}

extension RequestFraming {
  /// Checks the head of a request.
  /// - Returns: the first fault; `nil`: the head is valid.
  static func problem(
    of connection: OpaquePointer, method: UnsafePointer<CChar>, url: UnsafePointer<CChar>, version: UnsafePointer<CChar>
  ) -> Problem? {
    guard godwit_head_is_strict(connection, method, url, version) != 0 else { return brokenLines }
    var framing = RequestFraming()
    withUnsafeMutablePointer(to: &framing) { framing in
      godwit_each_header(
        connection,
        { context, _, name, nameSize, value, valueSize in
          context?.assumingMemoryBound(to: RequestFraming.self).pointee.add(
            name: UnsafeRawBufferPointer(start: name, count: name == nil ? 0 : nameSize),
            value: UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : valueSize))
          return MHD_Result.YES
        }, framing)
    }
    return framing.problem(version: String(cString: version))
  }
}
