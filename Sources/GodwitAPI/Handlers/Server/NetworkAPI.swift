package import GodwitHTTP
internal import GodwitRoutes

/// Whether phones of the same network reach the server.
package struct NetworkState: Sendable, Equatable {
  /// Whether a server of this machine alone was opened to the network.
  package var isOpen = false
  /// Where the server listens, or would listen, in the network, such as `http://192.168.1.5:8080`; `nil`: it listens elsewhere already,
  /// or the machine has no private address.
  package var address: String?
  /// The address of the server for a phone of the network; `nil`: no phone reaches it.
  package var origin: String?

  package init() {}
}

/// Opens a server of this machine alone to the network while it runs, and closes it again.
package protocol LocalNetworkAccess: Sendable {
  var state: NetworkState { get async }
  /// - Throws: a ``Problem`` where the server listens elsewhere already, or the address cannot be used.
  func open() async throws(Problem)
  /// - Throws: a ``Problem`` where the choice cannot be stored.
  func close() async throws(Problem)
}

/// `/api/v1/network`: whether phones of the same network reach the server.
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
