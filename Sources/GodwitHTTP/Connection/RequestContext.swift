/// What a program keeps with a request while it is answered, beside what HTTP says of it.
package protocol RequestContext: AnyObject, Sendable {
  /// The sender, for the log: `device/3`, `user/1`; `nil`: the request has no valid credentials.
  var requester: String? { get }
}
