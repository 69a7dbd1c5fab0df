import Foundation

/// The speed of this machine. Machines of one kind differ by a factor of three, and so does the same machine from day to day. Absolute
/// goals are scaled relative to ``reference``; ratios to other programs in the same run need no such correction.
struct MachineSpeed: Codable {
  /// Millions of steps per second of one core: dependent integer arithmetic, a branch that cannot be predicted, and a read of a table
  /// that fits into the first-level cache.
  var integer: Double
  /// GB/s that one core copies between two blocks that are larger than the caches.
  var memory: Double
  /// Appends of 4 KiB per second, each with `fdatasync`, in the folder of the benchmarks.
  var syncs: Double

  /// The machine for which the goals are defined. Documentation/Performance.md describes it.
  static let reference = MachineSpeed(integer: 250, memory: 15, syncs: 5000)

  /// The speed of this machine for a kind of work, relative to the reference. It is limited, because a much lower goal is meaningless.
  func factor(of bound: Measurement.Bound) -> Double {
    let processor = (integer / Self.reference.integer * memory / Self.reference.memory).squareRoot()
    let factor =
      switch bound {
      case .none: 1.0
      case .processor: processor
      case .disk: min(processor, syncs / Self.reference.syncs)
      }
    return min(4, max(0.25, factor))
  }

  static func measure(in folder: URL) throws -> MachineSpeed {
    MachineSpeed(integer: integerSpeed(), memory: memorySpeed(), syncs: try syncSpeed(in: folder))
  }

  private static func integerSpeed() -> Double {
    let steps = 20_000_000
    var table = [UInt32](repeating: 0, count: 1024)
    for index in table.indices { table[index] = UInt32(truncatingIfNeeded: index &* 2_654_435_761) }
    var total: UInt64 = 0
    // Continues from one run to the next, so that the compiler cannot remove a run.
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    let seconds = fastestOnProcessor(of: 5) {
      table.withUnsafeBufferPointer { table in
        for _ in 0..<steps {
          state ^= state << 13
          state ^= state >> 7
          state ^= state << 17
          // The low bits choose an entry: 10 bits, and the table has 1,024.
          let entry = UInt64(table[Int(state & 1023)])
          if state & 0x8000 == 0 { total &+= entry } else { total ^= state }
        }
      }
    }
    used = total ^ state
    return Double(steps) / seconds / 1e6
  }

  private static func memorySpeed() -> Double {
    let size = 256 << 20
    var source = [UInt8](repeating: 1, count: size)
    var target = [UInt8](repeating: 2, count: size)
    let seconds = fastestOnProcessor(of: 5) {
      source[Int(used % UInt64(size))] &+= 1
      target.withUnsafeMutableBytes { target in source.withUnsafeBytes { target.copyMemory(from: $0) } }
      used &+= UInt64(target[size / 2])
    }
    return Double(size) / seconds / 1e9
  }

  /// The results of the measurements. Without a use of them, the compiler would remove the measurements.
  nonisolated(unsafe) private static var used: UInt64 = 0

  private static func syncSpeed(in folder: URL) throws -> Double {
    let path = folder.appendingPathComponent("syncs").path
    let file = open(path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    defer {
      close(file)
      unlink(path)
    }
    let block = [UInt8](repeating: 7, count: 4096)
    let count = 500
    let seconds = try fastest(of: 3) {
      for _ in 0..<count {
        guard write(file, block, block.count) == block.count, fdatasync(file) == 0 else {
          throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
      }
    }
    return Double(count) / seconds
  }
}

extension MachineSpeed: CustomStringConvertible {
  var description: String {
    func part(_ name: String, _ value: Double, _ unit: String, _ reference: Double) -> String {
      "\(name) \(formatted(value)) \(unit) (\(String(format: "%.2f", value / reference)) of the reference)"
    }
    return [
      part("one core", integer, "million steps/s", Self.reference.integer),
      part("memory", memory, "GB/s", Self.reference.memory), part("disk", syncs, "fsyncs/s", Self.reference.syncs),
    ].joined(separator: "; ")
  }
}
