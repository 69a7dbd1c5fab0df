internal import Foundation
internal import GodwitAccounts
internal import GodwitSecrets

/// What a list shows of a session, of a user or of the administrator's token.
protocol ListedSession {
  var name: String { get }
  var created: Date { get }
  var used: Date { get }
  /// The latest end, regardless of use.
  var expires: Date { get }
  var address: String { get }
  var agent: String { get }
}

extension Session: ListedSession {}
extension AdministratorSession: ListedSession {}
