#if os(Linux)
  /// The output of `iw dev wlan0 link`.
  ///
  /// Source: https://git.kernel.org/pub/scm/linux/kernel/git/jberg/iw.git (link.c, util.c)
  enum IwLink {
    /// Returns `nil` if the text is not output of iw.
    static func read(_ text: String) -> WifiReading? {
      // The name is untrusted input. iw escapes it and prints it on a separate line.
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      guard let first = lines.first(where: { $0.contains(where: { !$0.isWhitespace }) }) else { return nil }
      if first.hasPrefix("Not connected") { return .disconnected }
      guard let start = ["Connected to ", "Joined IBSS "].first(where: { first.hasPrefix($0) }) else { return nil }
      let address = first.dropFirst(start.count).prefix { !$0.isWhitespace }
      guard let bssid = HardwareAddress.normal(address) else { return nil }
      let name = lines.lazy.compactMap { line -> Substring? in
        let text = line.drop { $0 == "\t" }
        return text.hasPrefix("SSID: ") ? text.dropFirst("SSID: ".count) : nil
      }.first
      return .connected(WifiReading.AccessPoint(ssid: name.flatMap { SSID.name(unescaped($0)) }, bssid: bssid))
    }

    /// Decodes the escapes of iw: it prints the backslash, and every byte that is not printable ASCII, as `\x` and two hexadecimal digits.
    static func unescaped(_ text: some StringProtocol) -> [UInt8] {
      var bytes: [UInt8] = []
      var rest = Array(text.utf8)[...]
      while let byte = rest.popFirst() {
        if byte == UInt8(ascii: "\\"), rest.first == UInt8(ascii: "x"), rest.count >= 3,
          let high = digit(rest[rest.startIndex + 1]), let low = digit(rest[rest.startIndex + 2])
        {
          bytes.append(high << 4 | low)
          rest = rest.dropFirst(3)
        } else {
          bytes.append(byte)
        }
      }
      return bytes
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
      UInt8(exactly: Character(Unicode.Scalar(byte)).hexDigitValue ?? -1)
    }
  }
#endif
