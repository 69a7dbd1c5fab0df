package import GodwitHTTP
internal import GodwitRoutes

/// Whether phones in the same network can reach the server.
package struct NetworkState: Sendable, Equatable {
  /// Whether a server that listens on the loopback interface was opened to the network.
  package var isOpen = false
  /// The URL on which the server listens in the network after it is opened, such as `http://192.168.1.5:8080`; `nil` if the
  /// server already listens on another address, or the machine has no private address.
  package var address: String?
  /// The origin of the server for a phone in the network; `nil` if phones cannot reach the server.
  package var origin: String?

  package init() {}
}

/// Opens a running server that listens on the loopback interface to the network, and closes it again.
package protocol LocalNetworkAccess: Sendable {
  var state: NetworkState { get async }
  /// - Throws: a ``Problem`` if the server already listens on another address, or the address cannot be used.
  func open() async throws(Problem)
  /// - Throws: a ``Problem`` if the choice cannot be stored.
  func close() async throws(Problem)
}

/// `/api/v1/network`: whether phones in the same network can reach the server.
struct NetworkAPI: Sendable {
  let network: any LocalNetworkAccess

  struct Network: ResultObject {
    var open: Bool
    var canOpen: Bool
    @Nullable var address: String?
    @Nullable var origin: String?

    static let notes: [String: JSONValue] = [
      "open": "Whether a server that listens on its own machine alone was opened to the network.",
      "can_open": "Whether it can be opened.", "address": "Where it listens, or would listen, in the network.",
      "origin": "The address of the server for a phone of the network; null: no phone reaches it.",
    ]
    static var hasEntityTag: Bool { false }

    init(_ state: NetworkState) {
      (open, address, origin) = (state.isOpen, state.address, state.origin)
      canOpen = !state.isOpen && state.address != nil
    }
  }

  struct NetworkBody: BodyObject {
    let open: Bool
    static let kind = "network"
  }

  func show(_ request: PlainRequest) async throws -> Network { Network(await network.state) }

  func set(_ request: BodyRequest<NetworkBody>) async throws -> Network {
    request.audit(request.body.open ? "open" : "closed")
    if request.body.open { try await network.open() } else { try await network.close() }
    return Network(await network.state)
  }
}
