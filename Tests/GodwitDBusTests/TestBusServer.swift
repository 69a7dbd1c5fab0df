#if os(Linux)
  import Foundation
  import Glibc
  import GodwitDBus
  import Testing

  /// A server at the address of a bus that does not implement the protocol.
  final class TestBusServer: Sendable {
    enum Behaviour: String, CaseIterable {
      case sendsNothing, closes, sendsGarbage, rejects, acceptsAndSendsGarbage, acceptsAndCloses
      case acceptsAndAnnouncesTooMuch
    }

    let address: DBusAddress
    private let folder: URL
    private let listener: Int32

    init(_ behaviour: Behaviour) throws {
      folder = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-bus-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let path = folder.appendingPathComponent("b").path
      address = .address("unix:path=\(path)")
      let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      // If a requirement below is not met, `deinit` closes the socket and removes the folder.
      listener = socket
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
      Thread { Self.serve(socket, behaviour) }.start()
    }

    // The shutdown also ends the thread of `serve`.
    deinit {
      shutdown(listener, Int32(SHUT_RDWR))
      close(listener)
      try? FileManager.default.removeItem(at: folder)
    }

    private static func serve(_ listener: Int32, _ behaviour: Behaviour) {
      let client = accept(listener, nil, nil)
      guard client >= 0 else { return }
      defer { close(client) }
      func write(_ bytes: [UInt8]) { _ = send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
      let acceptance = Array("OK 0123456789abcdef0123456789abcdef\r\nAGREE_UNIX_FD\r\n".utf8)
      switch behaviour {
      case .sendsNothing: break
      case .closes: return
      case .sendsGarbage: write(Array(repeating: 0x41, count: 100_000))
      case .rejects: write(Array("REJECTED EXTERNAL\r\n".utf8))
      case .acceptsAndSendsGarbage: write(acceptance + (0..<200).map { UInt8($0) })
      case .acceptsAndCloses:
        write(acceptance)
        return
      // A valid header that announces a body of 4 GiB.
      case .acceptsAndAnnouncesTooMuch: write(acceptance + [0x6C, 2, 1, 1, 255, 255, 255, 255, 1, 0, 0, 0, 0, 0, 0, 0])
      }
      // Waits until the client disconnects.
      var bytes = [UInt8](repeating: 0, count: 4096)
      while recv(client, &bytes, bytes.count, 0) > 0 {}
    }
  }
#endif
