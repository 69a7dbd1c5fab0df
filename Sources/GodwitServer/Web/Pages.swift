internal import GodwitResources

/// The files of the page, out of the executable.
package enum Pages {
  /// By their paths in the server's addresses.
  package static let files = [String: [UInt8]](
    uniqueKeysWithValues: Resources.server.files(in: "GodwitServer/Web/Pages").map { ("/" + $0.key, $0.value) })
}
