#if os(Linux)
  /// The kernel's routes, `/proc/net/route` and `/proc/net/ipv6_route`.
  ///
  /// Source: net/ipv4/fib_trie.c and net/ipv6/route.c of the kernel
  enum RoutingTable {
    struct Route: Sendable, Hashable {
      var interface: String
      /// Whether it is a default route.
      var isDefault: Bool
      var metric: UInt64
    }

    /// RTF_UP and RTF_REJECT.
    private static let (up, reject): (UInt64, UInt64) = (0x1, 0x200)

    /// Returns the active routes, without loopback. Invalid lines are skipped.
    static func version4(_ text: String) -> [Route] {
      text.split(separator: "\n").compactMap { line in
        let fields = line.split(whereSeparator: \.isWhitespace)
        guard fields.count >= 8, let destination = UInt32(fields[1], radix: 16), let mask = UInt32(fields[7], radix: 16),
          let flags = UInt64(fields[3], radix: 16), let metric = UInt64(fields[6]), isUsed(flags, fields[0])
        else { return nil }
        // 169.254.0.0/16, link-local. The file has addresses in network byte order, printed as an integer of this machine.
        guard destination.littleEndian & 0xFFFF != 0xFEA9 else { return nil }
        return Route(interface: String(fields[0]), isDefault: destination == 0 && mask == 0, metric: metric)
      }
    }

    /// Returns the active default routes, without loopback. Other routes are skipped: every interface has link-local ones.
    static func version6(_ text: String) -> [Route] {
      text.split(separator: "\n").compactMap { line in
        let fields = line.split(whereSeparator: \.isWhitespace)
        guard fields.count >= 10, fields[0].utf8.count == 32, fields[0].allSatisfy({ $0 == "0" }), fields[1] == "00",
          let metric = UInt64(fields[5], radix: 16), let flags = UInt64(fields[8], radix: 16), isUsed(flags, fields[9])
        else { return nil }
        return Route(interface: String(fields[9]), isDefault: true, metric: metric)
      }
    }

    private static func isUsed(_ flags: UInt64, _ interface: Substring) -> Bool {
      flags & up != 0 && flags & reject == 0 && interface != "lo"
    }
  }
#endif
