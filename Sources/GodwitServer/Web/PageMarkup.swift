internal import Foundation

/// Replaces the texts in the markup of a page: the text between tags, and the attributes that are shown or read aloud.
///
/// A text is the content of a block element without other block elements. Elements of ``inline`` belong to the surrounding text, whose key
/// contains their tags without attributes, such as `Open the <a>timeline</a>.`. An element with `translate="no"` has no texts.
struct PageMarkup {
  /// Returns the text for a key; `nil` leaves the page's own.
  let text: (_ key: String) -> String?

  /// Elements within sentences.
  private static let inline: Set<String> = ["a", "b", "bdi", "code", "em", "strong"]
  /// Elements whose content is not translated.
  private static let opaque: Set<String> = ["pre", "script", "style", "svg"]
  /// The suffix of each page title.
  private static let suffix = " – Godwit"

  private struct Tag {
    let source: Substring
    let name: String
    let isClosing: Bool
    var isInline: Bool { PageMarkup.inline.contains(name) }
    var bare: String { isClosing ? "</\(name)>" : "<\(name)>" }
  }

  private enum Piece {
    case text(Substring)
    case tag(Tag)

    var source: Substring {
      switch self {
      case .text(let text): text
      case .tag(let tag): tag.source
      }
    }
    var isWorded: Bool {
      guard case .text(let text) = self else { return false }
      return text.replacing(#/&\w+;/#, with: "").contains(where: \.isLetter)
    }
  }

  /// Returns the page with its texts replaced.
  func replaced(_ page: String) -> String {
    var output = ""
    var sentence: [Piece] = []
    var place = page.startIndex
    for match in page.matches(of: #/<!--[\s\S]*?-->|<![^>]*>|<(?<end>\/?)(?<name>[a-zA-Z][a-zA-Z0-9]*)(?:"[^"]*"|[^>"])*>/#) {
      // Inside an opaque element.
      guard match.range.lowerBound >= place else { continue }
      if place < match.range.lowerBound { sentence.append(.text(page[place..<match.range.lowerBound])) }
      place = match.range.upperBound
      let source = page[match.range]
      guard let found = match.output.name else {
        output += finished(&sentence) + source
        continue
      }
      let tag = Tag(source: source, name: found.lowercased(), isClosing: match.output.end?.isEmpty == false)
      let isOpaque = Self.opaque.contains(tag.name) || source.contains(#"translate="no""#)
      if tag.isInline, !isOpaque {
        sentence.append(.tag(tag))
        continue
      }
      output += finished(&sentence) + attributes(of: tag)
      if isOpaque, !tag.isClosing, let end = page[place...].range(of: "</\(found)>") {
        output += page[place..<end.upperBound]
        place = end.upperBound
      }
    }
    sentence.append(.text(page[place...]))
    return output + finished(&sentence)
  }

  private func finished(_ sentence: inout [Piece]) -> String {
    defer { sentence = [] }
    return replaced(sentence[...])
  }

  /// Replaces the texts of a part without block elements.
  private func replaced(_ pieces: ArraySlice<Piece>) -> String {
    guard pieces.contains(where: \.isWorded) else { return pieces.map { raw($0) }.joined() }
    let ends = Self.ends(in: pieces)
    let isSentence = Self.topLevel(of: pieces, ends).contains { pieces[$0].isWorded }
    let isWhole = pieces.indices.allSatisfy { index in
      guard case .tag(let tag) = pieces[index] else { return true }
      return tag.isClosing ? ends.values.contains(index) : ends[index] != nil
    }
    if isSentence, isWhole { return translated(pieces) }
    // Adjacent elements, or one element around everything: each has its own text. A tag without its counterpart ends a text.
    var output = ""
    var start = pieces.startIndex
    var index = pieces.startIndex
    while index < pieces.endIndex {
      guard case .tag = pieces[index], !isSentence || ends[index] == nil else {
        index += 1
        continue
      }
      output += replaced(pieces[start..<index]) + raw(pieces[index])
      if let end = ends[index] {
        output += isCode(pieces[index]) ? pieces[(index + 1)..<end].map { raw($0) }.joined() : replaced(pieces[(index + 1)..<end])
        output += raw(pieces[end])
        index = end
      }
      index += 1
      start = index
    }
    return start == pieces.startIndex ? translated(pieces) : output + replaced(pieces[start...])
  }

  private func isCode(_ piece: Piece) -> Bool {
    if case .tag(let tag) = piece { tag.name == "code" } else { false }
  }

  private func raw(_ piece: Piece) -> String {
    switch piece {
    case .text(let text): String(text)
    case .tag(let tag): attributes(of: tag)
    }
  }

  /// The index of the closing tag for the index of each opening tag.
  private static func ends(in pieces: ArraySlice<Piece>) -> [Int: Int] {
    var ends: [Int: Int] = [:]
    var open: [(name: String, index: Int)] = []
    for index in pieces.indices {
      guard case .tag(let tag) = pieces[index] else { continue }
      if !tag.isClosing {
        open.append((tag.name, index))
      } else if let last = open.last, last.name == tag.name {
        ends[last.index] = index
        open.removeLast()
      }
    }
    return ends
  }

  /// The indices of the pieces that are outside of all elements.
  private static func topLevel(of pieces: ArraySlice<Piece>, _ ends: [Int: Int]) -> [Int] {
    var found: [Int] = []
    var index = pieces.startIndex
    while index < pieces.endIndex {
      if let end = ends[index] { index = end } else { found.append(index) }
      index += 1
    }
    return found
  }

  /// Translates a whole text and keeps the white space around it.
  private func translated(_ pieces: ArraySlice<Piece>) -> String {
    let source = pieces.map { String($0.source) }.joined()
    let key = pieces.map { piece in
      if case .tag(let tag) = piece { tag.bare } else { String(piece.source) }
    }.joined().replacing(#/\s+/#, with: " ").trimmingCharacters(in: .whitespacesAndNewlines)
    let before = String(source.prefix { $0.isWhitespace })
    let after = source.reversed().prefix { $0.isWhitespace }.reversed()
    let isTitle = key.hasSuffix(Self.suffix)
    guard let found = text(isTitle ? String(key.dropLast(Self.suffix.count)) : key) else {
      return pieces.map { raw($0) }.joined()
    }
    return before + filled(found, with: pieces) + (isTitle ? Self.suffix : "") + String(after)
  }

  /// Replaces the bare tags of a text with the page's tags of the same name, in order.
  private func filled(_ text: String, with pieces: ArraySlice<Piece>) -> String {
    var tags: [String: [String]] = [:]
    for case .tag(let tag) in pieces where !tag.isClosing { tags[tag.name, default: []].append(attributes(of: tag)) }
    return text.replacing(#/<(\w+)>/#) { match in
      guard let first = tags[String(match.1)]?.first else { return String(match.0) }
      tags[String(match.1)]?.removeFirst()
      return first
    }
  }

  /// Returns a tag whose shown or spoken attributes are replaced.
  private func attributes(of tag: Tag) -> String {
    String(tag.source).replacing(#/ (aria-label|title|placeholder|alt)="([^"]*)"/#) { match in
      guard let found = text(String(match.2)) else { return String(match.0) }
      return " \(match.1)=\"\(found.replacing("\"", with: "&quot;"))\""
    }
  }
}
