#if os(Linux)
  import Foundation
  import Glibc
  import GodwitDBus
  import Testing

  /// Something that listens where a bus should be, and is none.
  final class TestBusServer: Sendable {
    enum Manner: String, CaseIterable {
      case saysNothing, closes, saysRubbish, rejects, letsInAndSaysRubbish, letsInAndCloses
      case letsInAndAnnouncesTooMuch
    }

    let address: DBusAddress
    private let folder: URL
    private let listener: Int32

    init(_ manner: Manner) throws {
      folder = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-bus-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let path = folder.appendingPathComponent("b").path
      address = .address("unix:path=\(path)")
      let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      var name = sockaddr_un()
      name.sun_family = sa_family_t(AF_UNIX)
      try #require(path.utf8.count < MemoryLayout.size(ofValue: name.sun_path))
      withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
      let isBound = withUnsafePointer(to: &name) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
        }
      }
      try #require(isBound && listen(socket, 4) == 0)
      listener = socket
      Thread { Self.serve(socket, manner) }.start()
    }

    // Wakes the thread as well.
    deinit {
      shutdown(listener, Int32(SHUT_RDWR))
      close(listener)
      try? FileManager.default.removeItem(at: folder)
    }

    private static func serve(_ listener: Int32, _ manner: Manner) {
      let client = accept(listener, nil, nil)
      guard client >= 0 else { return }
      defer { close(client) }
      func report(_ bytes: [UInt8]) { _ = send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
      let letIn = Array("OK 0123456789abcdef0123456789abcdef\r\nAGREE_UNIX_FD\r\n".utf8)
      switch manner {
      case .saysNothing: break
      case .closes: return
      case .saysRubbish: report(Array(repeating: 0x41, count: 100_000))
      case .rejects: report(Array("REJECTED EXTERNAL\r\n".utf8))
      case .letsInAndSaysRubbish: report(letIn + (0..<200).map { UInt8($0) })
      case .letsInAndCloses:
        report(letIn)
        return
      // A header of the right form whose body would have 4 GiB.
      case .letsInAndAnnouncesTooMuch: report(letIn + [0x6C, 2, 1, 1, 255, 255, 255, 255, 1, 0, 0, 0, 0, 0, 0, 0])
      }
      // Until the other side has gone.
      var bytes = [UInt8](repeating: 0, count: 4096)
      while recv(client, &bytes, bytes.count, 0) > 0 {}
    }
  }
#endif
