/// Finds names of Foundation that are in another module on Linux or do not exist there.
enum FoundationRule {
  /// Types that are in FoundationNetworking on Linux.
  private static let networking: Set<String> = [
    "URLSession", "URLSessionConfiguration", "URLSessionDataTask", "URLSessionTask", "URLSessionDelegate",
    "URLSessionDataDelegate",
    "URLSessionTaskDelegate", "URLSessionUploadTask", "URLSessionDownloadTask", "URLSessionDownloadDelegate", "URLRequest",
    "URLResponse",
    "HTTPURLResponse", "URLCache", "URLCredential", "URLProtectionSpace", "URLAuthenticationChallenge", "URLProtocol",
    "HTTPCookie",
    "HTTPCookieStorage",
  ]
  /// Constants of Darwin in nanoseconds, with their values.
  private static let constants = ["NSEC_PER_SEC": "1_000_000_000", "NSEC_PER_MSEC": "1_000_000", "NSEC_PER_USEC": "1_000"]

  static func diagnoses(_ text: SwiftText) -> [Diagnosis] {
    let names = text.identifiers(in: 0..<text.code.count)
    var found = names.compactMap { name, start -> Diagnosis? in
      guard let value = constants[name] else { return nil }
      return Diagnosis(
        kind: .foundation, offset: start, message: "Linux has no \(name); write \(value)",
        edits: [.init(range: start..<start + name.utf8.count, replacement: value)])
    }
    if let use = names.first(where: { networking.contains($0.name) }),
      !names.contains(where: { $0.name == "FoundationNetworking" }),
      let line = text.lines.first(where: {
        ImportRule.module(text, $0).map { ["Foundation", "CoreLocation"].contains($0) } ?? false
      })
    {
      let lines = "#if canImport(FoundationNetworking)\nimport FoundationNetworking\n#endif\n"
      let edit = Diagnosis.Edit(range: line.lowerBound..<line.lowerBound, replacement: lines)
      found.append(
        Diagnosis(
          kind: .foundation, offset: use.start,
          message: "\(use.name) is in FoundationNetworking on Linux; import it below #if canImport(FoundationNetworking)",
          edits: [edit]))
    }
    return found
  }
}
