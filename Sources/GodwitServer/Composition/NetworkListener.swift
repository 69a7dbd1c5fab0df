internal import Foundation
internal import GodwitAPI
internal import GodwitAccess
internal import GodwitHTTP
internal import GodwitSecrets

/// A second listener for a server that listens on a loopback address without TLS. It listens at the machine's address in its private
/// network, with the same port, handler and limits. A file in the data folder stores the choice, so that it survives a restart.
actor NetworkListener: LocalNetworkAccess {
  /// Creates the HTTP server for an address.
  typealias MakeServer = @Sendable (ListenAddress) -> HTTPServer

  /// An address of the machine that is not numeric.
  private struct UnknownHost: Error, CustomStringConvertible {
    let host: String
    var description: String { "Cannot listen on \(host): it is not a numeric address." }
  }

  private struct Running {
    let port: UInt16
    let makeServer: MakeServer
  }

  private let configuration: Server.Configuration
  private let feed: EventBroadcaster
  private let file: String
  private var running: Running?
  private var listener: (http: HTTPServer, host: String)?
  /// The last reported reason why the stored choice could not be applied; `nil`: it was applied since.
  private var failure: String?
  /// Tasks of closed listeners. Each ends after the last response is sent.
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
      // Certificates rarely contain numeric addresses. With TLS the page uses its own address.
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
    do { try listen(host, running) } catch { throw Problem(409, "Not open", "\(error)") }
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

  /// Starts to follow the stored choice. Called when the server listens.
  /// - Parameter port: the server's port.
  func begin(port: UInt16, _ makeServer: @escaping MakeServer) {
    running = Running(port: port, makeServer: makeServer)
    follow()
  }

  /// Applies the stored choice after a restart and after a change of the machine's address.
  func follow() {
    guard isOfThisMachine, let running, FileManager.default.fileExists(atPath: file) else { return }
    if let listener {
      guard !configuration.networkAddresses().contains(listener.host) else { return }
      end()
    }
    // A machine that changes between two networks has no address for a while.
    guard let host else { return }
    do {
      try listen(host, running)
      failure = nil
      configuration.notices("Open to the network: http://\(host):\(running.port)/")
    } catch {
      guard failure != "\(error)" else { return }
      failure = "\(error)"
      configuration.notices("Not open to the network: \(error)")
    }
  }

  /// Closes all listeners and waits until their last responses are sent.
  func stop() async {
    running = nil
    if listener != nil { end() }
    await finishEnding()
  }

  /// Returns after the last responses of the closed listeners are sent.
  func finishEnding() async {
    let tasks = ending
    ending = []
    for task in tasks { await task.value }
  }

  // MARK: Parts

  /// Whether the server listens on a loopback address without TLS. Only such a server can be opened to the network.
  private var isOfThisMachine: Bool { configuration.listen.isLoopback && configuration.tls == nil }

  /// The machine's preferred address in its network; `nil` if there is none.
  private var host: String? { configuration.networkAddresses().first }

  private func listen(_ host: String, _ running: Running) throws {
    guard let address = ListenAddress("\(host):\(running.port)") else { throw UnknownHost(host: host) }
    let http = running.makeServer(address)
    _ = try http.start()
    listener = (http, host)
  }

  /// Closes the listener in the background, because the request to close it may have arrived through it.
  private func end() {
    guard let http = listener?.http else { return }
    listener = nil
    http.beginStopping()
    // Wakes its event streams, which then end.
    feed.keepAlive()
    ending.append(Task { await http.stop(within: Server.stopTimeout) })
  }
}
