#if os(Linux)
  internal import GodwitModel

  /// The machine and its operating system.
  struct MachineDescription: Sendable {
    /// The prefix of all paths; empty except in tests.
    var root = ""

    /// The model, for example "Raspberry Pi 4 Model B Rev 1.4" or "ThinkPad X260"; `nil`: unknown.
    var model: String? {
      // Placeholders in the firmware of vendors that set no product name.
      let blanks = ["to be filled by o.e.m.", "system product name", "default string", "not specified", "none"]
      return ["/proc/device-tree/model", "/sys/class/dmi/id/product_name"].lazy
        .compactMap { SystemFile.text(root + $0, maximum: 256) }
        .first { !blanks.contains($0.lowercased()) }
    }

    /// The operating system, for example "Debian GNU/Linux 12 (bookworm)"; `nil`: unknown.
    ///
    /// Source: https://www.freedesktop.org/software/systemd/man/latest/os-release.html
    var system: String? {
      for path in ["/etc/os-release", "/usr/lib/os-release"] {
        guard let text = SystemFile.text(root + path, maximum: 65536) else { continue }
        for line in text.split(whereSeparator: \.isNewline) where line.hasPrefix("PRETTY_NAME=") {
          let name = Self.unquoted(line.dropFirst("PRETTY_NAME=".count))
          if !name.isEmpty { return name }
        }
      }
      return nil
    }

    /// Removes shell quoting: in double quotes a backslash escapes the next character.
    private static func unquoted(_ value: Substring) -> String {
      guard let quote = value.first, quote == "\"" || quote == "'", value.count >= 2, value.last == quote else {
        return String(value)
      }
      var text = ""
      var isProtected = false
      for character in value.dropFirst().dropLast() {
        if !isProtected, character == "\\", quote == "\"" {
          isProtected = true
        } else {
          text.append(character)
          isProtected = false
        }
      }
      return text
    }
  }
#endif
