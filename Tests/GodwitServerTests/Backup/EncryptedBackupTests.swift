import Foundation
import GodwitModel
import TestTexts
import Testing

@testable import GodwitServer
@testable import GodwitStore
@testable import GodwitTransfer

@Suite("An encrypted backup")
struct EncryptedBackupTests {
  /// A low cost of the key derivation, so that the tests are fast.
  private static let cost = KeyCost(passes: 1, memory: 8192)
  private static let passphrase = Passphrase("correct horse battery")

  /// A folder that is deleted with its last reference.
  private final class Folder {
    private let url = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-\(UUID().uuidString)")
    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(at: url) }
    func path(_ name: String) -> String { url.appendingPathComponent(name).path }
    func bytes(_ name: String) throws -> [UInt8] { try Array(Data(contentsOf: URL(fileURLWithPath: path(name)))) }
    func write(_ bytes: [UInt8], _ name: String) throws -> String {
      try Data(bytes).write(to: URL(fileURLWithPath: path(name)))
      return path(name)
    }
  }

  @Test("an encrypted backup is restored with its passphrase, and reveals no content", arguments: StoreKind.tested)
  func roundTrip(_ kind: StoreKind) async throws {
    let folder = try Folder()
    let (from, to) = (try ContractStore(kind), try ContractStore(kind))
    defer {
      from.end()
      to.end()
    }
    let device = try from.store.makeDevice()
    _ = try await from.store.store((0..<5000).map { try step($0) }, of: device)
    let path = folder.path("backup")
    let summary = try Backup(of: from.store, folder: nil).write(
      to: path, at: walkStart, passphrase: Self.passphrase, cost: Self.cost)
    let bytes = try folder.bytes("backup")
    #expect(bytes.starts(with: Array("GodwitBE".utf8)) && EncryptedArchive.isEncrypted(path))
    for word in ["manifest.json", "tables/points", "SHA256SUMS"] {
      #expect(Data(bytes).range(of: Data(word.utf8)) == nil, "\(word)")
    }
    // Zstandard's magic number.
    #expect(Data(bytes).range(of: Data([0x28, 0xB5, 0x2F, 0xFD])) == nil)
    let restored = try await Restore(into: to.store, named: "new").read(path, passphrase: Self.passphrase, folder: nil)
    #expect(restored.rows == summary.rows.filter { $0.value > 0 } && restored.rows["points"] == 5000)
    _ = try Backup(of: from.store, folder: nil).write(
      to: folder.path("2"), at: walkStart, passphrase: Self.passphrase, cost: Self.cost)
    #expect(try folder.bytes("2") != bytes, "each backup has a different key")
  }

  /// A change of a backup, and a part of the message of its rejection.
  private struct Case: Sendable {
    var name: String
    var passphrase: Passphrase? = EncryptedBackupTests.passphrase
    var change: @Sendable (inout [UInt8]) -> Void = { _ in }
    var message: String
  }

  private static let encryptedChunk = EncryptedWriter.chunk + 17

  private static let cases: [Case] = [
    Case(name: "wrong passphrase", passphrase: Passphrase("correct horse batterz"), message: "the passphrase is wrong"),
    Case(name: "empty passphrase", passphrase: Passphrase(""), message: "the passphrase is wrong"),
    Case(name: "no passphrase", passphrase: nil, message: "it is encrypted, and needs its passphrase"),
    Case(name: "other salt", change: { $0[30] ^= 1 }, message: "the passphrase is wrong, or the beginning"),
    Case(name: "other cost", change: { $0[15] ^= 2 }, message: "the passphrase is wrong, or the beginning"),
    Case(name: "greedy cost", change: { $0[16] = 0x7F }, message: "more time or memory"),
    Case(name: "no cost", change: { $0[15] = 0 }, message: "more time or memory"),
    Case(name: "newer version", change: { $0[8] = 2 }, message: "Update godwit"),
    Case(name: "other stream", change: { $0[50] ^= 1 }, message: "the passphrase is wrong, or the beginning"),
    Case(name: "changed first chunk", change: { $0[70] ^= 1 }, message: "the passphrase is wrong"),
    Case(name: "changed chunk", change: { $0[81 + 1000] ^= 1 }, message: "damaged or was changed"),
    Case(name: "changed end", change: { $0[$0.count - 1] ^= 1 }, message: "its end was changed"),
    Case(
      name: "exchanged chunks",
      change: { bytes in
        let (first, second) = (81..<(81 + encryptedChunk), (81 + encryptedChunk)..<(81 + 2 * encryptedChunk))
        let copy = Array(bytes[first])
        bytes.replaceSubrange(first, with: Array(bytes[second]))
        bytes.replaceSubrange(second, with: copy)
      }, message: "damaged or was changed"),
    Case(name: "no last chunk", change: { $0.removeSubrange((81 + 2 * encryptedChunk)...) }, message: "truncated"),
    Case(name: "half a chunk", change: { $0.removeLast(1000) }, message: "truncated"),
    Case(name: "header alone", change: { $0.removeSubrange(64...) }, message: "truncated"),
    Case(name: "half a header", change: { $0.removeSubrange(40...) }, message: "truncated"),
    Case(name: "trailing data", change: { $0 += [0] }, message: "its end was changed"),
    Case(name: "no longer encrypted", change: { $0 = Array("manifest".utf8) }, message: "it is not encrypted, though"),
  ]

  @Test("a backup with a wrong passphrase, truncated or changed is rejected, and no row is stored", arguments: cases.indices)
  func rejected(_ index: Int) async throws {
    let test = Self.cases[index]
    let folder = try Folder()
    let (from, to) = (try ContractStore(.sqlite), try ContractStore(.sqlite))
    defer {
      from.end()
      to.end()
    }
    // Random extras do not compress: the archive has at least three chunks.
    var generator = SeededNumbers(1)
    let records = try (0..<600).map { second in
      let text = (0..<32).map { _ in String(generator.next(), radix: 16) }.joined()
      return try step(second, extras: #"{"a":"\#(text)"}"#)
    }
    _ = try await from.store.store(records, of: from.store.makeDevice())
    _ = try Backup(of: from.store, folder: nil).write(
      to: folder.path("backup"), at: walkStart, passphrase: Self.passphrase, cost: Self.cost)
    var bytes = try folder.bytes("backup")
    try #require(bytes.count > 81 + 2 * Self.encryptedChunk)
    test.change(&bytes)
    let path = try folder.write(bytes, "changed")
    var message = "it is restored"
    do { _ = try await Restore(into: to.store, named: "new").read(path, passphrase: test.passphrase, folder: nil) } catch {
      message = "\(error)"
    }
    #expect(message.contains(test.message) && message.hasPrefix(path), "\(test.name): \(message)")
    for table in ["devices", "points", "device_tokens"] {
      #expect(try to.store.read { try $0.integer("SELECT count(*) FROM \(table)") } == 0, "\(test.name)")
    }
  }

  @Test("a changed byte anywhere in a short file is detected")
  func everyByte() throws {
    let folder = try Folder()
    let tar = try TarWriter(folder.path("short"), time: 0, passphrase: Self.passphrase, cost: Self.cost)
    try tar.add("a", [1, 2, 3])
    try tar.finish()
    let bytes = try folder.bytes("short")
    func read(_ path: String) throws -> [UInt8]? {
      let reader = try TarReader(path, passphrase: Self.passphrase)
      let file = try reader.next()
      guard try reader.next() == nil else { return nil }
      return file?.bytes
    }
    #expect(try read(folder.path("short")) == [1, 2, 3])
    for place in bytes.indices {
      var changed = bytes
      changed[place] ^= 0x10
      let path = try folder.write(changed, "changed")
      #expect(throws: (any Error).self, "byte \(place)") { try read(path) }
    }
    for count in 0..<bytes.count {
      let path = try folder.write(Array(bytes[..<count]), "short")
      #expect(throws: (any Error).self, "\(count) bytes") { try read(path) }
    }
  }

  @Test("data of any length is read as it was written", arguments: [0, 1, 65535, 65536, 65537, 131_072, 300_000])
  func lengths(_ count: Int) throws {
    let folder = try Folder()
    let path = folder.path("file")
    let plain = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    try Data().write(to: URL(fileURLWithPath: path))
    let file = try #require(FileHandle(forWritingAtPath: path))
    let writer = try EncryptedWriter(to: file.fileDescriptor, path: path, passphrase: Self.passphrase, cost: Self.cost)
    for start in stride(from: 0, to: count, by: 10_000) {
      plain[start..<min(start + 10_000, count)].withUnsafeBytes { bytes in
        #expect(writer.accepts(bytes))
      }
    }
    try writer.finish()
    try file.close()
    let reader = try EncryptedReader(path, passphrase: Self.passphrase)
    var found: [UInt8] = []
    while true {
      let message = try reader.next()
      if message.isEmpty { break }
      found += message
    }
    #expect(found == plain)
    #expect(try folder.bytes("file").count == 64 + 17 + count + 17 * max(1, (count + 65535) / 65536))
  }

  @Test("a passphrase of fewer than eight characters is rejected, and a passphrase is never printed")
  func passphrases() {
    #expect(Passphrase("seven77").fault?.contains("at least 8 characters") == true)
    #expect(Passphrase("eight888").fault == nil)
    #expect("\(Self.passphrase)" == "<passphrase>" && String(reflecting: Self.passphrase) == "<passphrase>")
  }
}
