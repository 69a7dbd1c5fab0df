internal import Foundation
internal import GodwitDelivery
internal import GodwitEngine
internal import GodwitWire

/// The validation of a tracker's endpoints.
enum EndpointCheck {
  /// Checks the endpoints of a configuration.
  /// - Throws: ``GodwitError/Code/invalidEndpoint`` for an endpoint without a name, two endpoints with the same name, and an
  ///   address without `http` or `https` and a host. The message names the endpoint.
  static func check(_ endpoints: [Endpoint]) throws(GodwitError) {
    var names: Set<String> = []
    for endpoint in endpoints {
      let name = endpoint.id.name
      guard !name.isEmpty else {
        throw GodwitError(.invalidEndpoint, "An endpoint has no name. Give each one a name of its own.")
      }
      guard names.insert(name).inserted else {
        throw GodwitError(
          .invalidEndpoint,
          "Two endpoints have the name \(name), which names their cursor in the journal. Give each one a name of its own.")
      }
      guard endpoint.address.isWebAddress else {
        throw GodwitError(
          .invalidEndpoint, "Endpoint \(name): its address is not usable. Give one such as https://example.org/api/overland.")
      }
    }
  }
}
