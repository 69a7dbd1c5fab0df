#if os(Linux)
  /// The address of a message bus.
  public enum DBusAddress: Sendable, Hashable {
    /// The system bus: `$DBUS_SYSTEM_BUS_ADDRESS`, by default the standard socket.
    case system
    /// The session bus of this user: `$DBUS_SESSION_BUS_ADDRESS`, by default the socket in `$XDG_RUNTIME_DIR`.
    case session
    /// Another bus, by a D-Bus address such as `unix:path=/run/user/1000/bus`.
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
