internal import GodwitResources

/// The files of the pages, embedded in the executable.
package enum Pages {
  /// The files by the paths of their URLs. Each page lists the modules of its script, so that the browser requests them in parallel instead
  /// of one import after another.
  package static let files: [String: [UInt8]] = {
    var files = [String: [UInt8]](
      uniqueKeysWithValues: Resources.server.files(in: "GodwitServer/Web/Pages").map { ("/" + $0.key, $0.value) })
    for (path, bytes) in files where path.hasSuffix(".html") { files[path] = page(bytes, with: files) }
    return files
  }()

  private static func page(_ bytes: [UInt8], with files: [String: [UInt8]]) -> [UInt8] {
    let page = String(decoding: bytes, as: UTF8.self)
    let scripts = page.matches(of: #/<script type="module" src="([^"]+)">/#).map { String($0.1) }
    guard !scripts.isEmpty else { return bytes }
    let links = modules(of: scripts, in: files).map { "  <link rel=\"modulepreload\" href=\"\($0)\">\n" }
    return Array(page.replacing("</head>", with: links.joined() + "</head>").utf8)
  }

  /// The modules that scripts import statically, directly or indirectly, sorted by path.
  static func modules(of scripts: [String], in files: [String: [UInt8]]) -> [String] {
    var found: Set<String> = []
    var waiting = scripts
    while let path = waiting.popLast() {
      for match in String(decoding: files[path] ?? [], as: UTF8.self).matches(of: #/ from "(\/[a-z-]+\.js)";/#) {
        if found.insert(String(match.1)).inserted { waiting.append(String(match.1)) }
      }
    }
    return found.sorted()
  }
}
