import Foundation
import GodwitModel
import GodwitText
import GodwitWire
import TestTexts
import Testing

@Suite("Pages of the synchronisation of regions")
struct RegionPageTests {
  private static let digest = String(repeating: "0a", count: 16)
  private static let text =
    "{\"epoch\":\"9f3c\",\"reset\":true,\"nodes\":[\n"
    + #"{"id":"home","center":{"latitude":46.05,"longitude":14.5},"radius":100,"revision":17}"# + ",\n"
    + #"{"id":"x","deleted":true,"revision":18}"#
    + "\n],\"pageInfo\":{\"endCursor\":\"c18\",\"hasNextPage\":true},\"digest\":\"\(digest)\",\"count\":5000}\n"

  private static func page() throws -> RegionPage {
    let center = try #require(Coordinate(latitude: 46.05, longitude: 14.5))
    let home = Region(id: "home", shape: .circle(Circle(center: center, radius: 100)))
    return RegionPage(
      epoch: "9f3c", nodes: [.region(home, revision: 17), .deleted(id: "x", revision: 18)], endCursor: "c18", hasNextPage: true,
      digest: digest, count: 5000, reset: true)
  }

  @Test("a page is encoded and decoded byte for byte")
  func golden() throws {
    let page = try Self.page()
    #expect(written { page.write(into: &$0) } == Self.text)
    #expect(try RegionPage.read(Array(Self.text.utf8)) == page)
    #expect(page.nodes.map(\.id) == ["home", "x"] && page.nodes.map(\.revision) == [17, 18])
  }

  @Test("an empty page round-trips")
  func empty() throws {
    let page = RegionPage(epoch: "e")
    let text = written { page.write(into: &$0) }
    #expect(text == "{\"epoch\":\"e\",\"nodes\":[],\"pageInfo\":{\"hasNextPage\":false}}\n")
    #expect(try RegionPage.read(Array(text.utf8)) == page)
  }

  @Test("regions that are stored as text are encoded without being decoded")
  func canonical() throws {
    let page = try Self.page()
    let text = written { bytes in
      var writer = RegionPageWriter(epoch: "9f3c", reset: true, into: &bytes)
      for node in page.nodes {
        guard case .region(let region, let revision) = node else {
          writer.append(node, into: &bytes)
          continue
        }
        let kept = written { RegionJSON.write(region, into: &$0) }
        writer.append(canonical: Array(kept.utf8), revision: revision, into: &bytes)
      }
      writer.append(canonical: [], revision: 19, into: &bytes)
      writer.finish(endCursor: "c18", hasNextPage: true, digest: Self.digest, count: 5000, into: &bytes)
    }
    #expect(text == Self.text)
  }

  @Test("unknown members of a newer server are skipped; those of a region are kept as text, without the revision")
  func newer() throws {
    let newer = Self.text.replacing(#""radius":100"#, with: #""radius":100,"layer":{"z":[1,2]},"center2":null"#)
      .replacing(#""count":5000"#, with: #""count":5000,"next":{"a":1}"#)
      .replacing(#""hasNextPage":true"#, with: #""hasNextPage":true,"startCursor":"a""#)
      .replacing(#""latitude":46.05"#, with: #""latitude":46.05,"altitude":300"#)
    #expect(newer != Self.text)
    var expected = try Self.page()
    expected.texts["home"] = Array(
      #"{"id":"home","center":{"latitude":46.05,"altitude":300,"longitude":14.5},"radius":100,"layer":{"z":[1,2]},"center2":null}"#
        .utf8)
    let page = try RegionPage.read(Array(newer.utf8))
    #expect(page == expected)
    // Unknown members are kept when the page is encoded again.
    #expect(try RegionPage.read(Array(written { page.write(into: &$0) }.utf8)) == page)
    // If the revision is not at the position that Godwit's servers write, the original text is unknown.
    let elsewhere = newer.replacing(#","revision":17}"#, with: #","revision":17 }"#)
    #expect(try RegionPage.read(Array(elsewhere.utf8)) == Self.page())
  }

  @Test(
    "invalid input is rejected with its position",
    arguments: [
      (#""radius":100"#, #""radius":-1"#, "nodes[0].radius", "-1 is not a valid radius"),
      (#","revision":18"#, "", "nodes[1]", "needs a revision"),
      (#""revision":18"#, #""revision":1.5"#, "nodes[1].revision", "1.5 is not a revision"),
      (#""id":"x","#, "", "nodes[1]", "needs an id"), (#""id":"home","#, "", "nodes[0].id", "needs an id"),
      (#""epoch":"9f3c","#, "", "epoch", "needs an epoch"), (digest, "12", "digest", "32 hexadecimal digits"),
      (#""count":5000"#, #""count":-5"#, "count", "-5 is not a count"),
      (#""hasNextPage":true"#, #""hasNextPage":1"#, "pageInfo.hasNextPage", "expected true or false"),
      (#""deleted":true"#, #""deleted":"yes""#, "nodes[1].deleted", "expected true or false"),
    ])
  func rejected(_ good: String, _ bad: String, _ path: String, _ reason: String) throws {
    #expect(Self.text.contains(good))
    let error = try #require(throws: FormatError.self) {
      try RegionPage.read(Array(Self.text.replacing(good, with: bad).utf8))
    }
    #expect(error.place.path == path && error.reason.contains(reason), "\(error)")
  }

  @Test("pages of random regions round-trip", arguments: [4, 5] as [UInt64])
  func roundTrip(_ seed: UInt64) throws {
    var random = RandomRegions(seed: seed)
    var page = RegionPage(epoch: "e", endCursor: "é\"\\", digest: Self.digest, count: 0)
    for revision in 1...200 as ClosedRange<Int64> {
      let region = try random.next()
      page.nodes.append(revision % 7 == 0 ? .deleted(id: region.id, revision: revision) : .region(region, revision: revision))
    }
    #expect(try RegionPage.read(Array(written { page.write(into: &$0) }.utf8)) == page)
  }

  @Test("a page may have a hundred thousand regions")
  func many() throws {
    let center = try #require(Coordinate(latitude: 46.05, longitude: 14.5))
    var page = RegionPage(epoch: "e")
    for index in 0..<100_000 {
      let region = Region(id: "region-\(index)", name: "Name", shape: .circle(Circle(center: center, radius: Double(index + 1))))
      page.nodes.append(.region(region, revision: Int64(index)))
    }
    var bytes: [UInt8] = []
    page.write(into: &bytes)
    #expect(try RegionPage.read(bytes) == page)
    let error = try #require(throws: FormatError.self) { try RegionPage.read(bytes, limits: RegionFileLimits(count: 99_999)) }
    #expect(error.place.path == "nodes[99999]")
  }

  @Test("truncated or randomly changed input never crashes", arguments: [1, 2] as [UInt64])
  func survives(_ seed: UInt64) {
    let taken = acceptedMutations(Array(Self.text.utf8), changes: 5000, seed: seed) { bytes in
      for node in try RegionPage.read(bytes).nodes { #expect(node.revision >= 0) }
    }
    #expect(taken > 0 && taken < 5000)
  }
}
