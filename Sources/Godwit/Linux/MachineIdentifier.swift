#if os(Linux)
  internal import CDBus
  internal import GodwitDBus

  /// An identifier of the machine for this program. Records contain it if the settings include it.
  ///
  /// The identifier is derived from `/etc/machine-id`, which itself must not leave the machine. It stays the same until the
  /// system is installed again. Sources: machine-id(5), sd_id128_get_machine_app_specific(3).
  package enum MachineIdentifier {
    /// The identifier as a UUID in capital letters, like Apple's; `nil` if the machine has none.
    package static var current: String? {
      // A random number that identifies this program.
      let program = sd_id128_t(
        bytes: (0x6B, 0x1D, 0x8E, 0x52, 0x0F, 0xA3, 0x4C, 0x77, 0x9B, 0x0E, 0x45, 0xD2, 0xC8, 0x31, 0x7A, 0x94))
      var id = sd_id128_t()
      guard let library = try? DBusLibrary.functions(), library.pointee.sd_id128_get_machine_app_specific(program, &id) >= 0
      else {
        return nil
      }
      let digits = withUnsafeBytes(of: id.bytes) { bytes in
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
      }
      let parts = [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { digits[$0].joined() }
      return parts.joined(separator: "-")
    }
  }
#endif
