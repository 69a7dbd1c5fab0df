internal import Foundation
internal import GodwitAccounts
package import GodwitHTTP
internal import GodwitModel
internal import GodwitServices
internal import GodwitStore
internal import GodwitText

/// The header in which a trusted proxy names the user of a request, such as `Remote-User` (Authelia, Authentik, oauth2-proxy).
///
/// It is accepted only in requests directly from a trusted proxy. The proxy must replace a header with this name that a
/// client sends.
public struct IdentityHeader: Sendable, Hashable {
  /// The header's name.
  public let name: String
  /// Whether a member is created for an unknown name.
  public var createsUsers = false

  /// Names of headers with another meaning.
  private static let taken: Set<String> = [
    "authorization", "cookie", "host", "connection", "content-length", "content-type", "content-encoding", "transfer-encoding",
    "origin", "referer", "user-agent", "forwarded", "x-forwarded-for", "x-forwarded-proto", "x-forwarded-host",
  ]

  /// - Parameter name: letters, digits and hyphens; not the name of a header with another meaning.
  public init?(_ name: String) {
    guard (1...64).contains(name.utf8.count), !Self.taken.contains(name.lowercased()),
      name.utf8.allSatisfy({ byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
          UInt8(ascii: "-"):
          true
        default: false
        }
      })
    else { return nil }
    self.name = name
  }
}

extension HTTPRequest {
  /// Returns the user name from a trusted proxy; `nil` if the header is absent, or the peer is not a trusted proxy.
  package func proxiedName(in header: IdentityHeader) -> String? {
    guard isFromTrustedProxy else { return nil }
    // Several lines are joined by commas, which are not permitted in names.
    let name = values(header.name)?.trimmingCharacters(in: .whitespaces)
    return name?.isEmpty == false ? name : nil
  }
}

extension AccessControl {
  /// Returns the principal that a trusted proxy names.
  /// - Returns: `nil` if no trusted proxy names a user.
  /// - Throws: `Problem` with status 403 if the name is invalid, or the user does not exist.
  package func proxiedPrincipal(_ request: HTTPRequest) throws(Problem) -> Principal? {
    guard let header = identityHeader, let name = request.proxiedName(in: header) else { return nil }
    guard Device.isValid(name: name) else {
      throw Problem(
        403, "Identity not valid",
        "The proxy's header \(header.name) is not a user name: 1 to 64 letters, digits, blanks and -_.@, once. Check the proxy's configuration."
      )
    }
    if let principal = try principal(named: name) { return principal }
    guard header.createsUsers else {
      throw Problem(
        403, "Unknown identity",
        "The proxy names \(name.jsonQuoted), which is not a user. Ask an administrator to add it: `godwit user add`.")
    }
    try add(name, from: request.clientAddress)
    return try principal(named: name)
  }

  /// Adds a member without a usable password.
  private func add(_ name: String, from address: String) throws(Problem) {
    let now = database.clock.now
    do {
      try database.writeAndWait { db in
        // Another request may have added it.
        guard try UserTable.add(name, .member, password: Password.nobodys, at: now, db) != nil else { return }
        try AuditTable.add(
          AuditEntry(actor: "the proxy", action: "user add", subject: name, address: address), at: now, db)
      }
    } catch {
      throw Problem.unavailable("Not stored", error)
    }
    invalidate()
  }
}
