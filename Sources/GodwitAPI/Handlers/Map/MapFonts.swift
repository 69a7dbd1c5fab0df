/// The glyphs for labels of the map.
package struct MapFonts: Sendable {
  /// Returns the gzipped file of a weight, such as `Bold`, and a range, such as `256-511`; `nil` without such a file.
  private let file: @Sendable (_ weight: String, _ range: String) -> [UInt8]?

  package init(_ file: @escaping @Sendable (_ weight: String, _ range: String) -> [UInt8]?) { self.file = file }

  /// Returns the glyphs of a range in the weight of the first font of the font stack: bold or regular.
  func glyphs(_ range: GlyphRange) -> [UInt8]? { file(range.isBold ? "Bold" : "Regular", "\(range.start)-\(range.start + 255)") }
}

/// A range of 256 characters of a font stack.
struct GlyphRange {
  let isBold: Bool
  let start: Int

  /// Reads the end of an address, such as `Noto Sans Bold,Arial/256-511.pbf`; `nil` for other texts.
  init?(path: String) {
    guard path.hasSuffix(".pbf"), let slash = path.lastIndex(of: "/") else { return nil }
    let numbers = path[path.index(after: slash)...].dropLast(4).split(separator: "-", omittingEmptySubsequences: false)
    guard numbers.count == 2, numbers.allSatisfy({ $0.allSatisfy { $0.isASCII && $0.isNumber } }),
      let start = Int(numbers[0]), let end = Int(numbers[1])
    else { return nil }
    // The last code point of Unicode is 0x10FFFF.
    guard start % 256 == 0, start <= 0x10FF00, end == start + 255 else { return nil }
    self.start = start
    let first = path[..<slash].split(separator: ",").first ?? ""
    guard !first.isEmpty else { return nil }
    isBold = first.lowercased().contains("bold")
  }
}
