internal import Foundation
internal import GodwitAccounts
internal import GodwitSecrets

/// The properties of a session in a list, for sessions of users and of the administrator's token.
protocol ListedSession {
  var name: String { get }
  var created: Date { get }
  var used: Date { get }
  /// The time at which the session ends at the latest, regardless of use.
  var expires: Date { get }
  var address: String { get }
  var agent: String { get }
}

extension Session: ListedSession {}
extension AdministratorSession: ListedSession {}
