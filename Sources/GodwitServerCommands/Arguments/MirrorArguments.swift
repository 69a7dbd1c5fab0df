internal import Foundation
internal import GodwitCommandLine
internal import GodwitTransfer

/// Reads the options of a mirror.
enum MirrorArguments {
  static let variable = "GODWIT_MIRROR_TOKEN"
  /// The value of `--mirror` that ends a mirror.
  static let none = "none"

  /// Returns the options of the mirror.
  /// - Returns: `nil` if there is no mirror.
  /// - Throws: ``UsageError`` if an option lacks another one that it requires, or the token cannot be read.
  static func options(_ url: String?, tokenFile: String?, adopts: Bool) throws -> MirrorOptions? {
    guard let url, url != none else {
      guard tokenFile == nil, !adopts else {
        throw UsageError("--mirror-token-file and --mirror-adopt need --mirror with the address of the other server")
      }
      return nil
    }
    var options = try options(of: url, tokenFile: tokenFile, option: "mirror")
    options.adoptsDevices = adopts
    return options
  }

  /// Returns the options of the mirror for another option that has its address.
  static func options(of url: String, tokenFile: String?, option: String) throws -> MirrorOptions {
    guard let options = MirrorOptions(url: url, token: try token(tokenFile, option: option)) else {
      throw UsageError("--\(option) is \(url); expected an address such as https://copy.example.org")
    }
    return options
  }

  private static func token(_ file: String?, option: String) throws -> String {
    if let file {
      let text = try? String(contentsOfFile: file, encoding: .utf8)
      guard let line = text?.split(whereSeparator: \.isNewline).first, !line.isEmpty else {
        throw UsageError("--mirror-token-file: \(file) cannot be read, or its first line is empty")
      }
      return line.trimmingCharacters(in: .whitespaces)
    }
    guard let text = ProcessInfo.processInfo.environment[variable], !text.isEmpty else {
      throw UsageError(
        "--\(option) needs --mirror-token-file with a file that has a token of the other server; its page /account creates one")
    }
    return text
  }
}
