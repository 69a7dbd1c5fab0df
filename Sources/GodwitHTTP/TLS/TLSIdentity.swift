internal import CMicrohttpd
internal import Foundation
internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The paths of a server's certificate and of its key, both in PEM.
public struct TLSFiles: Sendable, Hashable {
  /// The certificate chain: the server's certificate first, then those of its issuers.
  public var certificate: String
  /// The private key, without a password.
  public var key: String

  public init(certificate: String, key: String) {
    self.certificate = certificate
    self.key = key
  }
}

/// The error if a certificate or a key is invalid.
public struct TLSError: Error, CustomStringConvertible {
  public let description: String
}

/// The certificate and the key of a server, from two files that are reloaded when they change.
///
/// `@unchecked Sendable`: the pointers are under the lock, and the objects of GnuTLS never change. Old identities are kept
/// for connections during their handshake; they take a few kilobytes every few weeks.
package final class TLSIdentity: @unchecked Sendable {
  package let files: TLSFiles
  private let current: Mutex<State>

  private struct State {
    var identities: [UInt]
    var state: [String]
    /// The last message about files that cannot be used.
    var problem: String?
  }

  /// Reads the files.
  /// - Throws: ``TLSError`` with the invalid file, the reason, and what to do.
  package init(_ files: TLSFiles) throws(TLSError) {
    self.files = files
    current = Mutex(State(identities: [try Self.read(files)], state: Self.state(of: files)))
  }

  deinit {
    for identity in current.withLock({ $0.identities }) { godwit_identity_free(UnsafeMutablePointer(bitPattern: identity)) }
  }

  /// Reloads the files if they have changed. If they are invalid, the previous identity stays in use.
  /// - Returns: a message for the log, once for each change; `nil`: nothing to report.
  package func renew() -> String? {
    current.withLock { loaded in
      let state = Self.state(of: files)
      guard state != loaded.state else { return nil }
      do throws(TLSError) {
        loaded.identities.append(try Self.read(files))
        loaded.state = state
        loaded.problem = nil
        return "The certificate was renewed: \(files.certificate)"
      } catch {
        // Possibly only one of the two files has been written yet. They are read again at the next call.
        guard loaded.problem != error.description else { return nil }
        loaded.problem = error.description
        return "\(error) The previous one stays in use."
      }
    }
  }

  /// Returns the identities and modification times of the files, which change when a file is replaced.
  private static func state(of files: TLSFiles) -> [String] {
    [files.certificate, files.key].map { path in
      var status = stat()
      guard stat(path, &status) == 0 else { return "none" }
      #if canImport(Darwin)
        let time = status.st_mtimespec
      #else
        let time = status.st_mtim
      #endif
      return "\(status.st_dev) \(status.st_ino) \(status.st_size) \(time.tv_sec) \(time.tv_nsec)"
    }
  }

  private static func read(_ files: TLSFiles) throws(TLSError) -> UInt {
    let certificate = try bytes(of: files.certificate, "certificate")
    let key = try bytes(of: files.key, "key")
    var code: Int32 = 0
    var part: Int32 = 0
    let made = certificate.withUnsafeBytes { certificate in
      key.withUnsafeBytes { key in
        godwit_identity_make(certificate.baseAddress, certificate.count, key.baseAddress, key.count, &code, &part)
      }
    }
    if let made { return UInt(bitPattern: made) }
    let why = gnutls_strerror(code).map { String(cString: $0) } ?? "error \(code)"
    switch part {
    case 1:
      throw TLSError(
        description: "\(files.certificate) is not a certificate: \(why) Give a certificate as PEM with "
          + "--tls-certificate.")
    case 2:
      throw TLSError(
        description: "\(files.key) is not a private key: \(why) Give a key as PEM, without a password, with --tls-key.")
    default:
      throw TLSError(
        description: "The key in \(files.key) does not match the certificate in \(files.certificate). Use a matching pair.")
    }
  }

  private static func bytes(of path: String, _ what: String) throws(TLSError) -> [UInt8] {
    guard let data = FileManager.default.contents(atPath: path) else {
      let isThere = FileManager.default.fileExists(atPath: path)
      let why = isThere ? "cannot be read; check its owner and permissions" : "does not exist"
      throw TLSError(description: "The file \(path) \(why); name the \(what) with --tls-\(what).")
    }
    return Array(data)
  }

  private var newest: UnsafeMutablePointer<godwit_identity>? {
    current.withLock { $0.identities.last.flatMap { UnsafeMutablePointer(bitPattern: $0) } }
  }

  // MARK: Callbacks of gnutls

  /// The identities of the servers of this process, by port, because GnuTLS passes only the connection to the callback.
  private static let byPort = Mutex<[UInt16: TLSIdentity]>([:])

  /// Uses this identity for new connections to a port.
  func serve(port: UInt16) { Self.byPort.withLock { $0[port] = self } }

  /// Removes the identity of a port on which the server no longer listens.
  static func end(port: UInt16) { byPort.withLock { $0[port] = nil } }

  /// Called by GnuTLS at the start of each connection.
  static let retrieve: godwit_identity_callback = { session, _, _, _, _, chain, count, key in
    guard let session, let chain, let count, let key else { return -1 }
    let port = godwit_session_port(session)
    guard let identity = byPort.withLock({ $0[port] })?.newest else { return -1 }
    godwit_identity_show(identity, chain, count, key)
    return 0
  }
}
