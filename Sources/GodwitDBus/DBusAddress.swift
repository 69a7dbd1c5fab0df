#if os(Linux)
  /// Which message bus.
  public enum DBusAddress: Sendable, Hashable {
    /// The machine's: `$DBUS_SYSTEM_BUS_ADDRESS`, else the usual socket.
    case system
    /// The desktop session's of this user: `$DBUS_SESSION_BUS_ADDRESS`, else the socket in `$XDG_RUNTIME_DIR`.
    case session
    /// Another one, as D-Bus writes addresses: `unix:path=/run/user/1000/bus`.
    case address(String)

    var name: String {
      switch self {
      case .system: "the system bus"
      case .session: "the session bus"
      case .address(let address): "the bus at \(address)"
      }
    }
  }
#endif
