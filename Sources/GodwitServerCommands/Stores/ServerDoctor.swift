package import Foundation
internal import GodwitCommandLine
package import GodwitHTTP
internal import GodwitModel
package import GodwitServer
package import GodwitStore

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// What `godwit doctor --server` looks at: everything that a server needs, and what to do about what is not so.
package struct ServerDoctor {
  package typealias Finding = StoreCheckup.Finding

  /// The data folder.
  var data: String
  var store: StoreLocation
  /// Where the server listens.
  var listen: ListenAddress
  /// Files of TLS, where somebody has named them.
  var certificate: String?
  var key: String?

  /// Bytes that must be free, and that should be.
  private static let neededSpace: Int64 = 100 << 20
  private static let goodSpace: Int64 = 1 << 30
  /// Days before its end in which a certificate is looked at.
  private static let certificateDays = 14.0

  package init(data: String, store: StoreLocation, listen: ListenAddress, certificate: String?, key: String?) {
    (self.data, self.store, self.listen, self.certificate, self.key) = (data, store, listen, certificate, key)
  }

  package func look(at now: Date) async -> [Finding] {
    var findings = folder()
    findings += StoreCheckup.run(at: store, now: now)
    findings.append(await port())
    findings += files(now)
    return findings
  }

  // MARK: The folder

  private func folder() -> [Finding] {
    let name = "Data folder"
    let files = FileManager.default
    var isFolder: ObjCBool = false
    guard files.fileExists(atPath: data, isDirectory: &isFolder) else {
      return [Finding(name, .look, "there is no \(data) yet; `godwit serve` creates it")]
    }
    guard isFolder.boolValue else { return [Finding(name, .bad, "\(data) is a file; use another folder with --data")] }
    guard files.isWritableFile(atPath: data), files.isReadableFile(atPath: data) else {
      return [
        Finding(
          name, .bad,
          "\(data) cannot be written by this user; run the doctor as the server's user, or make that "
            + "user its owner")
      ]
    }
    var findings: [Finding] = []
    let mode = ((try? files.attributesOfItem(atPath: data))?[.posixPermissions] as? NSNumber)?.intValue ?? 0
    findings.append(
      mode & 0o077 == 0
        ? Finding(name, .good, data)
        : Finding(name, .look, "\(data) can be read by other users, and has the positions of all devices; chmod 700 \(data)"))
    let free = (try? files.attributesOfFileSystem(forPath: data)[.systemFreeSize] as? NSNumber)?.int64Value
    if let free {
      let words = "\(free >> 20) MB free"
      findings.append(
        free < Self.neededSpace
          ? Finding("Disk", .bad, "\(words); the server can store little or nothing until space is free")
          : free < Self.goodSpace ? Finding("Disk", .look, "\(words); free some space soon") : Finding("Disk", .good, words))
    }
    let token = data + "/owner-token"
    if let mode = ((try? files.attributesOfItem(atPath: token))?[.posixPermissions] as? NSNumber)?.intValue, mode & 0o077 != 0 {
      findings.append(Finding("Owner's token", .bad, "\(token) can be read by others; chmod 600 it, and delete it for a new one"))
    }
    return findings
  }

  // MARK: The port

  private func port() async -> Finding {
    let name = "Port"
    guard listen.port > 0 else { return Finding(name, .good, "the system chooses one") }
    let isAny = listen.host == "0.0.0.0" || listen.host == "::"
    let host = isAny ? "127.0.0.1" : listen.host.contains(":") ? "[\(listen.host)]" : listen.host
    guard let url = URL(string: "http://\(host):\(listen.port)/healthz") else {
      return Finding(name, .look, "\(listen) is not an address")
    }
    var request = URLRequest(url: url)
    request.timeoutInterval = 5
    do {
      let (body, response) = try await URLSession(configuration: .ephemeral).data(for: request)
      let status = (response as? HTTPURLResponse)?.statusCode ?? 0
      let object = (try? JSONSerialization.jsonObject(with: body)) as? [String: Any]
      if status == 200, object?["status"] as? String == "ok" {
        return Finding(name, .good, "godwit \(object?["version"] as? String ?? "") answers at \(listen)")
      }
      if status == 503 {
        return Finding(
          name, .bad, "godwit answers at \(listen), but its store does not: \(object?["detail"] as? String ?? "503")")
      }
      return Finding(name, .bad, "another program answers at \(listen); name another port with --listen")
    } catch {
      let isTaken = TCPProbe.canConnect(host: isAny ? "127.0.0.1" : listen.host, port: listen.port)
      return isTaken
        ? Finding(name, .bad, "another program listens at \(listen), and does not speak HTTP; name another port with --listen")
        : Finding(name, .look, "nothing listens at \(listen): it is free for `godwit serve --listen \(listen)`")
    }
  }

  // MARK: Files

  private func files(_ now: Date) -> [Finding] {
    let leaflet = Assets.leafletFolders.first { FileManager.default.fileExists(atPath: $0 + "/leaflet.js") }
    var findings = [
      Finding(
        "Leaflet, for the map", leaflet == nil ? .look : .good,
        leaflet ?? "install it (Debian and Ubuntu: apt install libjs-leaflet), or name its folder with --leaflet")
    ]
    if let certificate { findings.append(look(atCertificate: certificate, now)) }
    if let key { findings.append(look(atKey: key)) }
    return findings
  }

  private func look(atCertificate path: String, _ now: Date) -> Finding {
    let name = "Certificate"
    let file: CertificateFile
    do throws(TLSError) { file = try CertificateFile(path: path) } catch {
      return Finding(name, .bad, "\(error); use a file that begins with the server's own certificate")
    }
    if file.notAfter <= now { return Finding(name, .bad, "\(path) ended \(file.notAfter.formattedUTC); get a new one") }
    if file.notBefore > now { return Finding(name, .bad, "\(path) begins \(file.notBefore.formattedUTC); check the clock") }
    let words = "\(path) is valid until \(file.notAfter.formattedUTC)"
    return file.notAfter < now.addingTimeInterval(Self.certificateDays * DayLength.seconds)
      ? Finding(name, .look, "\(words); check its automatic renewal") : Finding(name, .good, words)
  }

  private func look(atKey path: String) -> Finding {
    let name = "Key"
    guard let text = FileManager.default.contents(atPath: path) else {
      return Finding(name, .bad, "\(path) cannot be read by this user; make the server's user its owner")
    }
    guard String(decoding: text, as: UTF8.self).contains("PRIVATE KEY-----") else {
      return Finding(name, .bad, "\(path) has no private key in PEM")
    }
    let mode = ((try? FileManager.default.attributesOfItem(atPath: path))?[.posixPermissions] as? NSNumber)?.intValue ?? 0
    return mode & 0o007 != 0 ? Finding(name, .bad, "\(path) can be read by all users; chmod 600 it") : Finding(name, .good, path)
  }
}
