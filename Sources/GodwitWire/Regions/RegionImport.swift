public import GodwitModel
public import GodwitText

/// The result of reading a document with regions.
public struct RegionImport: Sendable, Hashable {
  /// The name of the format: "GeoJSON", "KML", …
  public var format: String
  public var regions: [Region]
  /// The first hundred skipped parts, which are not regions: lines, marks without a radius, duplicates of a shape.
  public var skipped: [Skip]
  /// The number of all skipped parts.
  public var skippedCount: Int

  /// A skipped part.
  public struct Skip: Sendable, Hashable, CustomStringConvertible {
    public var place: FormatError.Place
    public var reason: String
    /// Whether the part is an invalid region.
    public var isWrong = false
    public var description: String { "\(place): \(reason)" }
  }

  package init(format: String, regions: [Region] = []) {
    self.format = format
    self.regions = regions
    skipped = []
    skippedCount = 0
  }

  mutating func skip(_ reason: String, at place: FormatError.Place, isWrong: Bool = false) {
    skippedCount += 1
    if skipped.count < 100 { skipped.append(Skip(place: place, reason: reason, isWrong: isWrong)) }
  }
}

/// Collects the regions of a document and ensures that their ids are unique.
package struct RegionCollector {
  package private(set) var found: RegionImport
  private let limits: RegionFileLimits
  private var seen: [String: FormatError.Place] = [:]

  package init(format: String, limits: RegionFileLimits) {
    found = RegionImport(format: format)
    self.limits = limits
  }

  package mutating func skip(_ reason: String, at place: FormatError.Place, isWrong: Bool = false) {
    found.skip(reason, at: place, isWrong: isWrong)
  }

  /// - Parameters:
  ///   - isDerived: whether the id was computed from the region. A second region with such an id is a duplicate.
  ///   - place: the place of the region.
  /// - Returns: The reason for which the region is rejected; `nil` if it was added or skipped.
  package mutating func add(_ region: Region, isDerived: Bool, at place: FormatError.Place) -> String? {
    if found.regions.count >= limits.count {
      return "there are more than \(limits.count) regions; send them in parts"
    }
    if let first = seen[region.id] {
      guard isDerived else { return "the id \(region.id.debugDescription) is already used by \(first)" }
      skip("it is identical to the one at \(first)", at: place)
      return nil
    }
    seen[region.id] = place
    found.regions.append(region)
    return nil
  }
}

/// Computes ids for regions without an id. Equal regions get the same id, so that a second import of a file changes
/// nothing.
package enum ComputedID {
  /// Returns the id for a shape and a name.
  package static func of(_ shape: RegionShape, name: String) -> String {
    "shape-" + hexadecimal(hash(RegionJSON.canonicalBytes(of: Region(id: "", name: name, shape: shape))))
  }

  /// Returns the FNV-1a hash of 64 bits.
  static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }

  static func hexadecimal(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
