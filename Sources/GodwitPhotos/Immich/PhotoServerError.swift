/// An error of a request to an Immich server.
package enum PhotoServerError: Error, Sendable, Hashable, CustomStringConvertible {
  /// There was no response; the reason is a sentence.
  case unreachable(String)
  /// The address belongs to this machine or a private network, and no administrator uses it.
  case privateNetwork
  /// The server redirects. Redirects are not followed, because the key must not be sent to another address.
  case redirected(String)
  /// The response is not one of an Immich server.
  case notImmich
  /// The key is invalid.
  case wrongKey
  /// The key does not have this permission.
  case missingPermission(String)
  /// The server has no such photo, or does not show it for the key.
  case unknownPhoto
  /// The response is larger than the limit.
  case tooLarge
  /// The image has none of the types of ``ImageType``.
  case notAnImage
  /// Too many requests wait for the server.
  case busy
  /// The server responded with this error status.
  case failed(Int)

  package var description: String {
    switch self {
    case .unreachable(let reason): "The Immich server does not answer. \(reason)"
    case .privateNetwork:
      "The address is one of this machine or of a private network. An administrator must store it first, for photos of their own."
    case .redirected(let place): "The Immich server redirects to \(place). Enter the final address."
    case .notImmich: "The address does not answer as an Immich server does. Enter the address that opens Immich in a browser."
    case .wrongKey: "The Immich server rejects the API key. Create one in Immich under Account settings, API keys."
    case .missingPermission(let permission): "The API key lacks the permission \(permission). Add it in Immich."
    case .unknownPhoto: "The Immich server has no such photo."
    case .tooLarge: "The answer of the Immich server is too large."
    case .notAnImage: "The Immich server sent something else than a picture."
    case .busy: "Too many requests wait for the Immich server. Try again in a few seconds."
    case .failed(let status): "The Immich server answered with the status \(status)."
    }
  }
}
