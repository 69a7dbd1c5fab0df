import CZlib
import Foundation
import GodwitModel
import GodwitText
import TestTexts
import Testing

@testable import GodwitFiles
@testable import GodwitTracks

/// Builds ZIP archives in the variants that programs write, including damaged ones.
private struct Archive {
  private(set) var bytes: [UInt8] = []
  private var count = 0

  enum Layout: CaseIterable {
    case compressed, stored, described, signed, large
  }

  mutating func add(_ name: String, _ text: [UInt8], _ layout: Layout = .compressed, flags: UInt16 = 0, checksum: UInt32? = nil) {
    let compressed = layout == .stored ? text : Self.deflated(text, window: -15)
    let sum = checksum ?? UInt32(crc32(0, text, UInt32(text.count)))
    let isDescribed = layout == .described || layout == .signed
    append(0x0403_4B50, 4)
    append(20, 2)
    append(UInt64(flags | (isDescribed ? 8 : 0)), 2)
    append(layout == .stored ? 0 : 8, 2)
    append(0, 4)
    append(isDescribed ? 0 : UInt64(sum), 4)
    append(isDescribed ? 0 : layout == .large ? 0xFFFF_FFFF : UInt64(compressed.count), 4)
    append(isDescribed ? 0 : layout == .large ? 0xFFFF_FFFF : UInt64(text.count), 4)
    append(UInt64(name.utf8.count), 2)
    append(layout == .large ? 20 : 0, 2)
    bytes += Array(name.utf8)
    if layout == .large {
      append(1, 2)
      append(16, 2)
      append(UInt64(text.count), 8)
      append(UInt64(compressed.count), 8)
    }
    bytes += compressed
    if isDescribed {
      if layout == .signed { append(0x0807_4B50, 4) }
      append(UInt64(sum), 4)
      append(UInt64(compressed.count), 4)
      append(UInt64(text.count), 4)
    }
    count += 1
  }

  /// The archive with the start of its central directory; a reader needs no more of it.
  func finished() -> [UInt8] {
    var archive = self
    archive.append(0x0201_4B50, 4)
    archive.bytes += [UInt8](repeating: 0, count: 60)
    return archive.bytes
  }

  private mutating func append(_ value: UInt64, _ size: Int) {
    for index in 0..<size { bytes.append(UInt8(truncatingIfNeeded: value >> (UInt64(index) * 8))) }
  }

  static func deflated(_ text: [UInt8], window: Int32) -> [UInt8] {
    var stream = z_stream()
    deflateInit2_(&stream, 6, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    defer { deflateEnd(&stream) }
    var input = text
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(text.count))) + 64)
    let capacity = output.count
    let left = input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        stream.next_in = input.baseAddress
        stream.avail_in = UInt32(input.count)
        stream.next_out = output.baseAddress
        stream.avail_out = UInt32(capacity)
        deflate(&stream, Z_FINISH)
        return Int(stream.avail_out)
      }
    }
    return Array(output[..<(capacity - left)])
  }
}

@Suite("Archives")
struct ArchiveTests {
  private static func sample(_ format: RecordFormat) -> Sample { Sample.all.first { $0.format == format } ?? Sample.all[0] }

  @Test("every file of an archive is read in its format, with each compression", arguments: [1, 13, 100_000])
  func files(_ piece: Int) {
    var archive = Archive()
    var expected: [Record] = []
    for (index, sample) in Sample.all.enumerated() {
      archive.add("/../a/\(index).bin", sample.bytes, Archive.Layout.allCases[index % Archive.Layout.allCases.count])
      expected += Reading(sample.bytes).records
    }
    archive.add("folder/", [], .stored)
    archive.add("readme.txt", Array("hello".utf8))
    archive.add("settings.jsonl", Array("{\"a\":1}".utf8), .described)
    let reading = Reading(archive.finished(), piece: piece)
    #expect(reading.format == .zip && reading.error == nil)
    let isSame = reading.records == expected
    #expect(isSame)
    let gpx = Sample.all.firstIndex { $0.format == .gpx } ?? 0
    #expect(reading.skipped.contains { $0.place.path == "/../a/\(gpx).bin" && $0.place.line == 7 })
  }

  @Test("reading from a checkpoint reads the archive again and returns only the remaining records")
  func resume() throws {
    var archive = Archive()
    for sample in Sample.all { archive.add("a", sample.bytes) }
    let bytes = archive.finished()
    let whole = Reading(bytes)
    let cut = Reading(bytes, piece: 500, guess: 400)
    for checkpoint in cut.checkpoints {
      let rest = Reading(bytes, piece: 700, from: checkpoint)
      let isSame = rest.records == Array(whole.records[checkpoint.records...])
      #expect(isSame && checkpoint.byte == 0)
    }
  }

  @Test("encrypted, damaged and extremely compressed entries are skipped with their names, and the other entries are read")
  func hostile() {
    let good = Self.sample(.googleRecords)
    var archive = Archive()
    archive.add("secret", good.bytes, flags: 1)
    archive.add("wrong sum", good.bytes, checksum: 7)
    var inner = archive
    inner.add("third.zip", archive.finished())
    let bomb = Array("{\"locations\":[".utf8) + [UInt8](repeating: 0x20, count: 40 << 20)
    archive.add("bomb", bomb)
    archive.add("inner.zip", inner.finished())
    archive.add("good", good.bytes)
    let reading = Reading(archive.finished(), piece: 10_000)
    #expect(reading.error == nil)
    // An archive inside the archive is read, but not an archive inside that one.
    #expect(reading.records.count == 3 * good.count)
    let reasons = reading.skipped.map { "\($0.place.path?.prefix { $0 != ":" } ?? ""): \($0.reason)" }
    #expect(reasons.contains("secret: it is encrypted"))
    #expect(reasons.contains("wrong sum: its checksum does not match; the contents may be damaged"))
    #expect(reasons.contains { $0.hasPrefix("bomb: unpacked, it is more than 500 times larger") })
    #expect(
      reading.skipped.contains { $0.place.path == "inner.zip: third.zip" && $0.reason.contains("archives are nested three deep") }
    )
  }

  @Test("a truncated archive is an error, and a changed one does not crash the reader")
  func mutated() {
    var archive = Archive()
    archive.add("a", Self.sample(.gpx).bytes)
    archive.add("b", Self.sample(.csv).bytes, .signed)
    archive.add("c", Self.sample(.overland).bytes, .large)
    let bytes = archive.finished()
    for end in stride(from: 4, to: bytes.count - 64, by: 3) { #expect(Reading(Array(bytes[..<end])).error != nil) }
    var random = SeededNumbers(3)
    for _ in 0..<500 {
      var changed = bytes
      for _ in 0..<2 { changed[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next()) }
      #expect(Reading(changed, piece: 97).records.count < 1000)
    }
  }

  @Test("compressed files in an archive (Strava) and nested archives (Garmin) are read")
  func nested() {
    let tcx = Self.sample(.tcx)
    // Strava writes ten spaces before the XML declaration.
    let blank = [UInt8](repeating: 0x20, count: 10) + tcx.bytes
    var strava = Archive()
    strava.add("activities/1.gpx.gz", Archive.deflated(Self.sample(.gpx).bytes, window: 31))
    strava.add("activities/2.tcx.gz", Archive.deflated(blank, window: 31), .described)
    strava.add("activities/3.fit.gz", Archive.deflated(Self.sample(.fit).bytes, window: 31), .stored)
    for piece in [7, 100_000] {
      let reading = Reading(strava.finished(), piece: piece)
      #expect(reading.error == nil && reading.records.count == 3 + 2 + 3, "\(reading.skipped)")
    }
    var garmin = Archive()
    garmin.add("DI_CONNECT/UploadedFiles_0.zip", strava.finished())
    #expect(Reading(garmin.finished(), piece: 50).records.count == 8)
    var third = Archive()
    third.add("a.zip", garmin.finished())
    let reading = Reading(third.finished())
    #expect(reading.records.isEmpty && reading.skipped.first?.reason.contains("unpack the outer one") == true)
    let twice = Archive.deflated(Archive.deflated(tcx.bytes, window: 31), window: 31)
    #expect(Reading(twice).error?.contains("inside a gzip file; unpack it first") == true)
  }

  @Test("nested archives share one limit on the unpacked size")
  func budget() {
    let packing = Packing(RecordOptions())
    let inner = packing.inside(.zip).inside(.zip)
    inner.budget.compressed = 1000
    #expect(inner.budget.spend(64 << 20))
    #expect(packing.budget.spend(2_064_000))
    #expect(!inner.inside(.gzip).budget.spend(4128))
  }

  @Test("gzip files are read: one member, several in sequence; damaged data is an error")
  func gzip() {
    let bytes = Self.sample(.googleRecords).bytes
    let compressed = Archive.deflated(bytes, window: 31)
    for piece in [1, 50, 10_000] {
      let reading = Reading(compressed, piece: piece)
      #expect(reading.format == .gzip && reading.error == nil && reading.records.count == 4 && reading.skips == 2)
    }
    let half = bytes.count / 2
    let first = Archive.deflated(Array(bytes[..<half]), window: 31)
    let second = Archive.deflated(Array(bytes[half...]), window: 31)
    #expect(Reading(first + second).records.count == 4)
    let zeros = [UInt8](repeating: 0, count: 512)
    for piece in [1, 50, 10_000] {
      let padded = Reading(first + zeros + second + zeros, piece: piece)
      #expect(padded.error == nil && padded.records.count == 4)
    }
    #expect(Reading(compressed + zeros + [1, 2, 3]).error?.contains("the compressed data is damaged") == true)
    #expect(Reading(Array(compressed.dropLast(20))).error?.contains("the file ends inside the compressed data") == true)
    var damaged = compressed
    damaged[compressed.count / 2] ^= 0x55
    #expect(Reading(damaged).error?.hasPrefix("gzip") == true)
    #expect(Reading(Archive.deflated(Array("hello".utf8), window: 31)).error?.contains("it begins with \"hello\"") == true)
  }
}
