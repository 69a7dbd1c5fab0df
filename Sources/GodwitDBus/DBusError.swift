#if os(Linux)
  /// Why a bus or a service on it did not fulfil a request, as a sentence.
  package struct DBusError: Error, Hashable, CustomStringConvertible {
    package enum Code: Hashable {
      /// There is no such bus, or it did not let us in.
      case noBus
      /// The connection broke.
      case disconnected
      /// No service on the bus has this name.
      case noService
      /// No answer came in time.
      case timedOut
      /// The service answered with an error of this name.
      case rejected(String)
      /// The answer was not what the service's description says, or the call could not be written.
      case malformed
    }

    package let code: Code
    package let description: String

    package init(_ code: Code, _ description: String) {
      self.code = code
      self.description = description
    }

    /// An error that came over the bus.
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
