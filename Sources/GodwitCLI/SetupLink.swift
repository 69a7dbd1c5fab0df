internal import Foundation

/// The link that sets up a tracker by being opened on its device: Overland's, and ours.
struct SetupLink {
  var url: String
  var token: String
  var deviceID: String

  func text(scheme: String) -> String {
    "\(scheme)://setup?url=\(encoded(url))&token=\(encoded(token))&device_id=\(encoded(deviceID))"
  }

  /// Percent-encoded but for RFC 3986's unreserved characters.
  private func encoded(_ text: String) -> String {
    let plain = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
    return text.addingPercentEncoding(withAllowedCharacters: plain) ?? text
  }
}
