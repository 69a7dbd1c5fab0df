internal import GodwitModel
internal import GodwitText

/// Reads a page of the region synchronisation. Unknown members are skipped everywhere.
struct RegionPageReader {
  typealias Fault = JSONReader.Fault

  private enum Member: Int, KnownMember {
    case epoch, nodes, pageInfo, digest, count, reset
    static let names: [StaticString] = ["epoch", "nodes", "pageInfo", "digest", "count", "reset"]
  }

  private enum InfoMember: Int, KnownMember {
    case endCursor, hasNextPage
    static let names: [StaticString] = ["endCursor", "hasNextPage"]
  }

  private let limits: RegionFileLimits
  private var regions = RegionReader(isStrict: false)
  private var unknown = UnknownMembers(areFaults: false)
  private var page = RegionPage(epoch: "")

  /// - Parameter limits: the maximum number of nodes.
  init(limits: RegionFileLimits) { self.limits = limits }

  /// Reads the next page.
  mutating func page(from json: inout JSONReader) throws(Fault) -> RegionPage {
    var epoch: String?
    var members = try MemberCursor<Member>(of: &json, expected: "a page of regions: {\"epoch\":…,\"nodes\":[…]}")
    do throws(Fault) {
      while let member = try members.next(in: &json, &unknown) {
        if members.isNull, member != .epoch { continue }
        switch member {
        case .epoch: epoch = try json.text { $0.isEmpty ? "an epoch must not be empty" : nil }
        case .nodes: try readNodes(from: &json)
        case .pageInfo: try readInfo(from: &json)
        case .digest: page.digest = try json.text { $0.utf8.count == 32 ? nil : "expected 32 hexadecimal digits" }
        case .count:
          page.count = Int(try json.number { $0 >= 0 && $0 <= 1e15 && $0 == $0.rounded() ? nil : "\($1) is not a count" })
        case .reset: page.reset = try json.flag()
        }
      }
    } catch { throw members.located(error) }
    guard let epoch else { throw json.unexpected("a page needs an epoch", at: 0, path: ".epoch") }
    page.epoch = epoch
    return page
  }

  private mutating func readNodes(from json: inout JSONReader) throws(Fault) {
    var nodes: [RegionPage.Node] = []
    try json.forEachElement { (json, index) throws(Fault) in
      guard index < limits.count else {
        throw json.unexpected("there are more than \(limits.count) nodes", at: json.position)
      }
      let (start, before) = (json.position, regions.passedOver)
      let node = try regions.node(from: &json)
      nodes.append(node)
      if case .region(let region, let revision) = node {
        page.texts[region.id] = regions.passedOver == before ? nil : json.text(from: start, without: revision)
      }
    }
    page.nodes = nodes
  }

  private mutating func readInfo(from json: inout JSONReader) throws(Fault) {
    var members = try MemberCursor<InfoMember>(of: &json, expected: "{\"endCursor\":…,\"hasNextPage\":…}")
    do throws(Fault) {
      while let member = try members.next(in: &json, &unknown) {
        if members.isNull { continue }
        switch member {
        case .endCursor: page.endCursor = try json.text { _ in nil }
        case .hasNextPage: page.hasNextPage = try json.flag()
        }
      }
    } catch { throw members.located(error) }
  }
}

extension JSONReader {
  /// Returns the text of a region without the revision that ``RegionPageWriter`` appended; `nil` if the text does not end
  /// with the revision.
  fileprivate func text(from start: Int, without revision: Int64) -> [UInt8]? {
    let text = UnsafeBufferPointer(start: base + start, count: position - start)
    let end = Array(#","revision":\#(revision)}"#.utf8)
    guard text.count > end.count, text.suffix(end.count).elementsEqual(end) else { return nil }
    return text.dropLast(end.count) + [UInt8(ascii: "}")]
  }
}
