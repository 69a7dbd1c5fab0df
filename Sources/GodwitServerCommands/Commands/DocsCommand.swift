internal import Foundation
internal import GodwitCommandLine
internal import GodwitHTTP

/// `godwit docs`
struct DocsCommand: Command {
  static let name = "docs"
  static let abstract = "Show the documentation in a browser, with a search."
  static let discussion = """
    Packages have the pages; make docs builds them with the reference of the libraries into .build/site. Any other web server shows the
    folder as well. Ctrl-C ends it.
    """
  static let examples = [
    (line: "godwit docs", purpose: "The installed documentation"),
    (line: "godwit docs .build/site --listen 127.0.0.1:8000", purpose: "What make docs has built"),
  ]

  @Operands("DIR", 0...1, "Folder of the site (default: /usr/share/godwit/docs, or .build/site)")
  var folders: [String]
  @Option(
    "listen", "ADDRESS:PORT", default: .documentation, shown: "127.0.0.1:8090",
    "Address to listen on; port 0 lets the system choose one")
  var listen: ListenAddress

  /// The default folders of the site.
  private static let standard = ["/usr/share/godwit/docs", "/usr/local/share/godwit/docs", ".build/site"]

  func run() async throws {
    let folders = folders.isEmpty ? Self.standard : folders
    guard let site = folders.lazy.compactMap(StaticFolder.init).first(where: { $0.has("/") }) else {
      throw Failure("\(folders.joined(separator: ", ")): there is no documentation. Run make docs, or name the folder of a site.")
    }
    var configuration = HTTPServer.Configuration(address: listen)
    configuration.threads = 2
    let server = HTTPServer(
      configuration: configuration, handler: Router([], files: site.files).handler { response, _ in response })
    let port = try server.start()
    let host = listen.host.contains(":") ? "[\(listen.host)]" : listen.host
    Output.log("The documentation: http://\(host):\(port)/")
    // Runs until Ctrl-C or SIGTERM.
    try await Signals.cancelling { for await _ in AsyncStream<Never>.makeStream().stream {} }
    server.beginStopping()
    await server.stop(within: 1)
  }
}

extension ListenAddress {
  /// The default address of the documentation.
  // Never `nil`, because the literal has the form that the initializer parses.
  fileprivate static let documentation = ListenAddress("127.0.0.1:8090")!
}
