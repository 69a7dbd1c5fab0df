#if os(Linux)
  /// An error of a bus or of a service on it. The description is a sentence.
  package struct DBusError: Error, Hashable, CustomStringConvertible {
    package enum Code: Hashable {
      /// There is no such bus, or it rejected the connection.
      case noBus
      /// The connection broke.
      case disconnected
      /// No service on the bus has this name.
      case noService
      /// No reply arrived within the timeout.
      case timedOut
      /// The service replied with an error of this name.
      case rejected(String)
      /// The reply does not match the specification of the service, or the call could not be encoded.
      case malformed
    }

    package let code: Code
    package let description: String

    package init(_ code: Code, _ description: String) {
      self.code = code
      self.description = description
    }

    /// Converts an error reply.
    init(named name: String, _ message: String, from service: String) {
      switch name {
      case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner":
        self.init(.noService, "\(service) is not running.")
      case let name where name.hasPrefix("org.freedesktop.DBus.Error.Spawn."):
        self.init(.noService, "\(service) could not be started: \(message)")
      case "org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.Timeout":
        self.init(.timedOut, "\(service) does not answer.")
      default: self.init(.rejected(name), "\(service) answered: \(message.isEmpty ? name : message)")
      }
    }
  }
#endif
