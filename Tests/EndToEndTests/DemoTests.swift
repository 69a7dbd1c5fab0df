import CZlib
import Foundation
import TestParts
import Testing

@Suite("First run", .serialized)
struct DemoTests {
  @Test(
    "the demo draws the walk on the map, ends cleanly, and a second run stores nothing twice", .timeLimit(.minutes(20)),
    .enabled(if: TestPart.browser.isRun, "\(TestPart.browser.reason)"))
  func demo() async throws {
    let folder = try TemporaryFolder()
    let data = folder.path("demo")
    func start() throws -> Background {
      try Background(
        Executable.godwit,
        ["demo", "--listen", "127.0.0.1:0", "--data", data, "--speed", "20000", "--no-open"], in: folder)
    }
    let first = try start()
    let address = try await first.wait("the demo to listen") {
      first.errorOutput.firstMatch(of: #/http://127\.0\.0\.1:\d+//#).map { String($0.0) }
    }
    try await first.wait("the end of the walk") { first.errorOutput.contains("The walk is complete") ? true : nil }
    try await first.wait("the link to the next steps") {
      first.errorOutput.contains("Now your own phone: \(address)welcome") ? true : nil
    }

    // Output that does not go to a terminal contains no secret.
    #expect(
      !first.errorOutput.contains("gw_") && !first.errorOutput.contains("#") && first.errorOutput.contains("godwit login --data"))
    let browser = try await Chromium()
    try await browser.resize(width: 1280, height: 800)
    try await browser.login(["--data", data])
    try await browser.visit(address + "?live=off")
    try await browser.wait("document.body.dataset.points === '513' && document.body.dataset.state === 'still'")
    try await browser.wait("document.body.dataset.map === 'drawn'", seconds: 60)
    // The map has been drawn when two frames have passed.
    try await browser.run(
      "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 500))))")
    let picture = try await browser.call("Page.captureScreenshot", ["format": "png"])["data"] as? String
    let encoded = try #require(picture)
    let image = try PNGImage(try #require(Data(base64Encoded: encoded)))
    // The line is #0b6e6e, four pixels wide and more than a thousand long.
    let line = image.pixels { $0 == (0x0B, 0x6E, 0x6E) }
    #expect(line.count > 3000)
    #expect((line.map(\.x).max() ?? 0) - (line.map(\.x).min() ?? 0) > 500)

    // The page links to the set-up of a phone. `--fresh` does not delete the data of an added device.
    try await browser.click("#own-phone")
    try await browser.wait("location.pathname === '/welcome' && document.body.dataset.state === 'ready'")
    #expect(try Executable.run(["device", "add", "phone", "--data", data]).status == 0)
    let fresh = try Executable.run(["demo", "--fresh", "--listen", "127.0.0.1:0", "--data", data, "--no-open"])
    #expect(fresh.status == 1 && fresh.errorOutput.contains("phone"), "\(fresh.errorOutput)")

    first.interrupt()
    #expect(try await first.waitForEnd() == 0)
    #expect(first.errorOutput.contains("Everything is stored"))

    let second = try start()
    try await second.wait("the second run to report that the walk is complete") {
      second.errorOutput.contains("The walk was complete already") ? true : nil
    }
    second.interrupt()
    #expect(try await second.waitForEnd() == 0)
    let list = try Executable.run(["device", "list", "--data", data, "--json"])
    let devices = try #require(JSONSerialization.jsonObject(with: list.output) as? [[String: Any]])
    #expect(devices.first { $0["name"] as? String == "walker" }?["points"] as? Int == 513)
  }

  @Test("Ctrl-C ends the demo in the middle of the walk, and the next run continues it", .timeLimit(.minutes(20)))
  func interrupted() async throws {
    let folder = try TemporaryFolder()
    let arguments = ["demo", "--listen", "127.0.0.1:0", "--data", folder.path("demo"), "--no-open"]
    let first = try Background(Executable.godwit, arguments + ["--speed", "1000"], in: folder)
    func points() throws -> Int {
      let list = try Executable.run(["device", "list", "--data", folder.path("demo"), "--json"])
      let devices = try JSONSerialization.jsonObject(with: list.output) as? [[String: Any]]
      return devices?.first?["points"] as? Int ?? 0
    }
    try await first.wait("some of the walk") {
      FileManager.default.fileExists(atPath: folder.path("demo/godwit.sqlite")) && (try? points()) ?? 0 > 20 ? true : nil
    }
    first.interrupt()
    try await first.wait("the end", seconds: 15) { first.process.isRunning ? nil : true }
    #expect(first.process.terminationStatus == 0, "\(first.errorOutput)")
    #expect(try points() < 513)
    #expect(!first.errorOutput.contains("complete"))
    let second = try Background(Executable.godwit, arguments + ["--speed", "20000"], in: folder)
    try await second.wait("the end of the walk") { second.errorOutput.contains("The walk is complete") ? true : nil }
    #expect(try points() == 513)
    second.interrupt()
    #expect(try await second.waitForEnd() == 0)
  }
}

/// A PNG as headless Chromium writes it: eight bits a channel, not interlaced.
struct PNGImage {
  let width: Int
  let height: Int
  private let channels: Int
  private let bytes: [UInt8]

  init(_ data: Data) throws {
    let file = [UInt8](data)
    var compressed: [UInt8] = []
    var (width, height, channels) = (0, 0, 0)
    var position = 8
    func number(_ offset: Int) -> Int { file[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
    while position + 8 <= file.count {
      let count = number(position)
      let kind = String(decoding: file[position + 4..<position + 8], as: UTF8.self)
      let body = position + 8
      if kind == "IHDR" {
        (width, height) = (number(body), number(body + 4))
        #expect(file[body + 8] == 8 && file[body + 12] == 0)
        channels = file[body + 9] == 6 ? 4 : 3
      } else if kind == "IDAT" {
        compressed += file[body..<body + count]
      }
      position = body + count + 4
    }
    var size = uLongf((width * channels + 1) * height)
    var raw = [UInt8](repeating: 0, count: Int(size))
    #expect(uncompress(&raw, &size, compressed, uLong(compressed.count)) == Z_OK)
    // The filters of the PNG specification, 9.2.
    let stride = width * channels
    var image = [UInt8](repeating: 0, count: stride * height)
    for y in 0..<height {
      let filter = raw[y * (stride + 1)]
      for x in 0..<stride {
        let left = x >= channels ? Int(image[y * stride + x - channels]) : 0
        let up = y > 0 ? Int(image[(y - 1) * stride + x]) : 0
        let corner = x >= channels && y > 0 ? Int(image[(y - 1) * stride + x - channels]) : 0
        let predicted: Int
        switch filter {
        case 1: predicted = left
        case 2: predicted = up
        case 3: predicted = (left + up) / 2
        case 4:
          let p = left + up - corner
          let (a, b, c) = (abs(p - left), abs(p - up), abs(p - corner))
          predicted = a <= b && a <= c ? left : b <= c ? up : corner
        default: predicted = 0
        }
        image[y * stride + x] = raw[y * (stride + 1) + 1 + x] &+ UInt8(truncatingIfNeeded: predicted)
      }
    }
    (self.width, self.height, self.channels, bytes) = (width, height, channels, image)
  }

  func pixels(where matches: ((UInt8, UInt8, UInt8)) -> Bool) -> [(x: Int, y: Int)] {
    var found: [(x: Int, y: Int)] = []
    for y in 0..<height {
      for x in 0..<width {
        let offset = (y * width + x) * channels
        if matches((bytes[offset], bytes[offset + 1], bytes[offset + 2])) { found.append((x, y)) }
      }
    }
    return found
  }
}
