public import GodwitModel
public import GodwitText

/// What was found in a document of regions.
public struct RegionImport: Sendable, Hashable {
  /// The language that it was read as: "GeoJSON", "KML", …
  public var format: String
  public var regions: [Region]
  /// What is no region: lines, marks without a radius, the same shape a second time. The first hundred of them.
  public var skipped: [Skip]
  /// How many there were in all.
  public var skippedCount: Int

  /// Something that was skipped.
  public struct Skip: Sendable, Hashable, CustomStringConvertible {
    public var place: FormatError.Place
    public var reason: String
    /// It is meant to be a region, and is wrong.
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

/// Takes the regions of a foreign document one by one, so that no two have the same id.
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
  ///   - isDerived: whether the id was made of what the region is: then a second one is the same again.
  ///   - place: where it stands.
  /// - Returns: Why it cannot be taken.
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

/// Ids for what has none. The same thing gets the same one every time, so that importing twice changes nothing.
package enum ComputedID {
  /// Of a shape and its name.
  package static func of(_ shape: RegionShape, name: String) -> String {
    "shape-" + hexadecimal(hash(RegionJSON.canonicalBytes(of: Region(id: "", name: name, shape: shape))))
  }

  /// FNV-1a, 64 bits.
  static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }

  static func hexadecimal(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
