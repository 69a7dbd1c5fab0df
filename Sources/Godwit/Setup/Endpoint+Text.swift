internal import Foundation
public import GodwitDelivery
internal import GodwitEngine
internal import GodwitText
internal import GodwitWire

extension Endpoint {
  /// Creates an endpoint from text values, for example of a file, a form or Objective-C.
  ///
  ///     let server = try Endpoint(
  ///       name: "my-server", address: "https://my.example/api/openlocate", headers: ["Authorization": "Bearer …"],
  ///       format: "openlocate")
  /// - Parameters:
  ///   - name: the name of the endpoint and of its cursor in the journal; not empty.
  ///   - address: an address with `http` or `https`, which may contain placeholders such as `%LAT`.
  ///   - headers: the headers of every request, for example `Authorization`.
  ///   - format: `overland`, `overland-app`, `openlocate`, `owntracks`, `datadrop` or `query`.
  /// - Throws: ``GodwitError/Code/invalidEndpoint``; the message names the endpoint and the invalid value.
  public init(name: String, address: String, headers: [String: String] = [:], format: String) throws(GodwitError) {
    guard !name.isEmpty else {
      throw GodwitError(.invalidEndpoint, "An endpoint has no name. Give each one a name of its own.")
    }
    let template: URLTemplate
    do { template = try URLTemplate(address) } catch {
      throw GodwitError(.invalidEndpoint, "Endpoint \(name): \(error.reason).", underlyingError: error)
    }
    let known: any EndpointFormat
    do throws(UnknownEndpointFormat) { known = try EndpointFormats.format(named: format) } catch {
      throw GodwitError(.invalidEndpoint, "Endpoint \(name): \(error)", underlyingError: error)
    }
    self.init(id: EndpointID(name), address: template, headers: headers, format: known)
  }
}
