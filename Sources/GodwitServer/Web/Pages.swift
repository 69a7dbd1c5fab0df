internal import GodwitResources

/// The files of the pages, embedded in the executable.
package enum Pages {
  /// The files by the paths of their URLs.
  package static let files = [String: [UInt8]](
    uniqueKeysWithValues: Resources.server.files(in: "GodwitServer/Web/Pages").map { ("/" + $0.key, $0.value) })
}
