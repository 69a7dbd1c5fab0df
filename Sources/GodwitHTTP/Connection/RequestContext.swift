/// Values that a program attaches to a request while it is processed.
package protocol RequestContext: AnyObject, Sendable {
  /// The sender, for the log: `device/3`, `user/1`; `nil`: the request has no valid credentials.
  var requester: String? { get }
}
