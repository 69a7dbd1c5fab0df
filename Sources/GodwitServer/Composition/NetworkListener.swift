internal import Foundation
internal import GodwitAPI
internal import GodwitAccess
internal import GodwitHTTP
internal import GodwitSecrets

/// A second listener of a server that only its own machine reaches: at the machine's address in its private network, with the same port,
/// handler and limits. A file in the data folder has the choice, so that it holds after a restart.
actor NetworkListener: LocalNetworkAccess {
  /// Makes the server of an address.
  typealias MakeServer = @Sendable (ListenAddress) -> HTTPServer

  private struct Running {
    let port: UInt16
    let makeServer: MakeServer
  }

  private let configuration: Server.Configuration
  private let feed: EventBroadcaster
  private let file: String
  private var running: Running?
  private var listener: (http: HTTPServer, host: String)?
  /// Listeners that were closed, until their last answers are sent.
  private var ending: [Task<Void, Never>] = []

  init(_ configuration: Server.Configuration, feed: EventBroadcaster) {
    self.configuration = configuration
    self.feed = feed
    file = configuration.dataFolder + "/open-to-network"
  }

  var state: NetworkState {
    var state = NetworkState()
    guard let running else { return state }
    let listen = configuration.listen
    if isOfThisMachine {
      state.isOpen = listener != nil
      state.address = (listener?.host ?? host).map { "http://\($0):\(running.port)" }
      state.origin = state.isOpen ? state.address : nil
    } else if configuration.tls == nil {
      // The name in a certificate is seldom a numeric address; with TLS the page's own address is the one.
      let host = listen.isAny ? host : listen.isIPv6 ? "[\(listen.host)]" : listen.host
      state.origin = host.map { "http://\($0):\(running.port)" }
    }
    return state
  }

  func open() async throws(Problem) {
    guard isOfThisMachine else {
      throw Problem(
        409, "Open already",
        "The server listens on \(configuration.listen). Only one that listens on a loopback address without TLS can be opened.")
    }
    guard let running, let host else {
      throw Problem(409, "No network", "This machine has no address in a private network.")
    }
    if listener != nil { return }
    do { try listen(host, running) } catch { throw Problem(409, "Not open", error.description) }
    do throws(PrivateFileError) { try PrivateFile.write("open\n", to: file) } catch {
      end()
      throw Problem(503, "Not stored", error.description)
    }
    configuration.notices("Opened to the network: http://\(host):\(running.port)/")
  }

  func close() async throws(Problem) {
    if unlink(file) != 0, errno != ENOENT {
      throw Problem(503, "Not stored", "\(file) cannot be removed: \(String(cString: strerror(errno))).")
    }
    guard listener != nil else { return }
    end()
    configuration.notices("Closed to the network; the server listens on \(configuration.listen.host) alone.")
  }

  /// The server listens now.
  /// - Parameter port: where it listens.
  func begin(port: UInt16, _ makeServer: @escaping MakeServer) {
    running = Running(port: port, makeServer: makeServer)
    follow()
  }

  /// Listens where the choice of the owner says: after a restart, and when the address of the machine has changed.
  func follow() {
    guard isOfThisMachine, let running, FileManager.default.fileExists(atPath: file) else { return }
    if let listener {
      guard !configuration.networkAddresses().contains(listener.host) else { return }
      end()
    }
    // A machine that is between two networks has no address for a while.
    guard let host else { return }
    do {
      try listen(host, running)
      configuration.notices("Open to the network: http://\(host):\(running.port)/")
    } catch {
      configuration.notices("Not open to the network: \(error)")
    }
  }

  /// Ends all listeners, and waits for their last answers.
  func stop() async {
    running = nil
    if listener != nil { end() }
    await finishEnding()
  }

  /// Returns after the last answers of the listeners that were closed.
  func finishEnding() async {
    let tasks = ending
    ending = []
    for task in tasks { await task.value }
  }

  // MARK: Parts

  /// Whether only this machine reaches the server by itself.
  private var isOfThisMachine: Bool { configuration.listen.isLoopback && configuration.tls == nil }

  /// The machine's address in its network.
  private var host: String? { configuration.networkAddresses().first }

  private func listen(_ host: String, _ running: Running) throws(HTTPServerError) {
    guard let address = ListenAddress("\(host):\(running.port)") else { return }
    let http = running.makeServer(address)
    _ = try http.start()
    listener = (http, host)
  }

  /// Ends the listener in the background: the request for it may have come through it.
  private func end() {
    guard let http = listener?.http else { return }
    listener = nil
    http.beginStopping()
    // Wakes its event streams, which then end.
    feed.keepAlive()
    ending.append(Task { await http.stop(within: Server.stopTimeout) })
  }
}
