import CExpat
import Foundation
import GodwitModel
import Testing

@testable import GodwitSimulator

/// Returns expat's error for a text; `nil` if the text is well-formed.
private func problem(_ text: [UInt8]) -> String? {
  guard let parser = XML_ParserCreate("UTF-8") else { return "no parser" }
  defer { XML_ParserFree(parser) }
  let status = text.withUnsafeBytes {
    XML_Parse(parser, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(text.count), 1)
  }
  guard status != XML_STATUS_OK else { return nil }
  return "line \(XML_GetCurrentLineNumber(parser)): \(String(cString: XML_ErrorString(XML_GetErrorCode(parser))))"
}

/// Returns the page of a report with two days and two policies, one of which may have a name that needs escaping.
private func smallPage(name: String = "always-best") throws -> [UInt8] {
  let all = try [
    measured(name, aside: 4, joules: 500, each: 1), measured("adaptive", aside: 10, joules: 25),
    measured(name, aside: 5, joules: 400, each: 1, day: "2026-11-21"),
    measured("adaptive", aside: 9, joules: 20, day: "2026-11-21"),
  ]
  return SimulationReport(all.map(\.run), version: "0.1.0").html(drawings: all.map(\.drawing))
}

/// Returns the data for the script of the page.
private func pageData(_ page: [UInt8]) throws -> [String: Any] {
  let text = String(decoding: page, as: UTF8.self)
  let start = try #require(text.range(of: "<script type=\"application/json\" id=\"data\">"))
  let end = try #require(text.range(of: "</script>", range: start.upperBound..<text.endIndex))
  let json = try JSONSerialization.jsonObject(with: Data(text[start.upperBound..<end.lowerBound].utf8))
  return try #require(json as? [String: Any])
}

@Suite("Page of a report")
struct ReportPageTests {
  @Test(
    "the page is well-formed, with any name of a policy",
    arguments: ["always-best", "<script>alert(1)</script>", "a & b \"c\" 'd' ]]> {{data}}", "\u{1}\u{0}\u{7F}", "Ключ 🐦"])
  func wellFormed(name: String) throws {
    let page = try smallPage(name: name)
    let found = problem(page)
    #expect(found == nil, "\(found ?? "")")
    let text = String(decoding: page, as: UTF8.self)
    #expect(!text.contains("<script>alert"))
    let policies = try #require(try pageData(page)["policies"] as? [[String: Any]])
    #expect(policies.first?["name"] as? String == name)
  }

  @Test("the page loads nothing: its only URL is the namespace of its icon, and its content security policy forbids any request")
  func selfContained() throws {
    let text = String(decoding: try smallPage(), as: UTF8.self).replacing("http://www.w3.org/2000/svg", with: "")
    for word in ["http:", "https:", "src=", "@import", "url(", "fetch(", "XMLHttpRequest", "WebSocket", "sendBeacon", "import("] {
      #expect(!text.contains(word), "\(word)")
    }
    #expect(text.contains("default-src 'none'"))
    #expect(!text.contains("{{"))
  }

  @Test("the page has the figures as a table for use without scripts, and the goals with their results")
  func tables() throws {
    let text = String(decoding: try smallPage(), as: UTF8.self)
    for part in ["Goals of adaptive", "<th scope=\"row\">", "of always-best", "5.0 %", "class=\"missed\"", "class=\"met\""] {
      #expect(text.contains(part), "\(part)")
    }
  }

  @Test("the page has the true track of each day once, and recorded tracks as differences that sum to positions")
  func data() throws {
    let days = try #require(try pageData(try smallPage())["days"] as? [[String: Any]])
    #expect(days.map { $0["day"] as? String } == ["2026-11-20", "2026-11-21"])
    let runs = try #require(days[0]["runs"] as? [[String: Any]])
    #expect(runs.map { $0["policy"] as? Int } == [0, 1])
    let track = try #require(runs[1]["track"] as? [Int])
    // A straight track is its two ends: time, position, error, and no accuracy.
    #expect(track.count == 10 && track[0] == 0 && track[5] == 1_200)
    #expect(track[3] == 10 && track[4] == -1 && track[8] == 10)
    let end = sample(0, north: 12_000, east: 10).coordinate
    #expect(track[1] + track[6] == Int((end.latitude * 1e6).rounded()))
    #expect(track[2] + track[7] == Int((end.longitude * 1e6).rounded()))
    let truth = try #require(days[0]["truth"] as? [Int])
    #expect(truth.count % 3 == 0 && truth.count < 30)
    let samples = try #require(runs[1]["samples"] as? [[Double]])
    #expect(samples.first?[0] == 0 && samples.last?[0] == 1_200)
    #expect(samples.last?[2 + EnergyPart.satellites.rawValue] == 25)
  }

  @Test("a noisy track with a position each second is reduced to 3,000 points, with both ends")
  func simplified() throws {
    var random = RandomSource(seed: 5)
    let records = (0..<20_000).map { fix(Double($0), north: 300 * random.normal(), east: 300 * random.normal()) }
    let drawing = RunDrawing(log(until: 20_000, records), truth: try Truth(days: [[sample(0)]]))
    #expect(drawing.track.count <= RunDrawing.maximumPoints && drawing.track.count > 2)
    #expect(drawing.track.first?.time == 0 && drawing.track.last?.time == 19_999)
  }

  @Test("a report without runs and a report without drawings are valid pages")
  func empty() throws {
    let nothing = SimulationReport([], version: "0.1.0").html(drawings: [])
    #expect(problem(nothing) == nil)
    #expect(String(decoding: nothing, as: UTF8.self).contains("No simulation was run."))
    let run = try measured("some", aside: 5, joules: 10)
    let bare = SimulationReport([run.run], version: "0.1.0").html(drawings: [])
    #expect(problem(bare) == nil)
    #expect(try #require(try pageData(bare)["days"] as? [Any]).isEmpty)
    // The drawing of a run that is not in the report is omitted.
    let other = try measured("other", aside: 5, joules: 10)
    let strange = SimulationReport([run.run], version: "0.1.0").html(drawings: [other.drawing])
    #expect(try #require(try pageData(strange)["days"] as? [Any]).isEmpty)
  }
}
