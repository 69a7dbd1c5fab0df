package import Foundation
internal import GodwitCommandLine
package import GodwitHTTP
internal import GodwitHTTPClient
internal import GodwitModel
internal import GodwitSecrets
package import GodwitServer
package import GodwitStore

/// The checks of `godwit doctor --server`: the requirements of a server, and the remedy for each failure.
package struct ServerDoctor {
  package typealias CheckResult = StoreCheckup.CheckResult

  /// The data folder.
  var data: String
  var store: StoreLocation
  /// The address at which the server listens.
  var listen: ListenAddress
  /// The TLS files; `nil` for a server without TLS.
  var certificate: String?
  var key: String?

  /// The free space in bytes below which the check fails, and below which it warns.
  private static let neededSpace: Int64 = 100 << 20
  private static let goodSpace: Int64 = 1 << 30
  /// The days before the expiry of a certificate in which the check warns.
  private static let certificateDays = 14.0

  package init(data: String, store: StoreLocation, listen: ListenAddress, certificate: String?, key: String?) {
    (self.data, self.store, self.listen, self.certificate, self.key) = (data, store, listen, certificate, key)
  }

  /// Returns the address of the server that runs on a data folder; `nil` if none runs. A server that listens on all addresses may
  /// have announced a name; it is checked on this machine.
  package static func runningAddress(in folder: String) -> ListenAddress? {
    // The address of the first page: "http://127.0.0.1:8080/".
    guard let page = AdministratorLogin(dataFolder: folder).currentAddress,
      let place = page.split(separator: "/").dropFirst().first.map({ String($0) }), let parts = HostAndPort(place)
    else { return nil }
    return ListenAddress(place) ?? ListenAddress("127.0.0.1:\(parts.port)")
  }

  package func check(at now: Date) async -> [CheckResult] {
    var results = folder()
    results += StoreCheckup.run(at: store, now: now)
    results.append(await port())
    results += files(now)
    return results
  }

  // MARK: The folder

  private func folder() -> [CheckResult] {
    let name = "Data folder"
    let files = FileManager.default
    var isFolder: ObjCBool = false
    guard files.fileExists(atPath: data, isDirectory: &isFolder) else {
      return [CheckResult(name, .look, "there is no \(data) yet; `godwit serve` creates it")]
    }
    guard isFolder.boolValue else { return [CheckResult(name, .bad, "\(data) is a file; use another folder with --data")] }
    guard files.isWritableFile(atPath: data), files.isReadableFile(atPath: data) else {
      return [
        CheckResult(
          name, .bad,
          "\(data) cannot be written by this user; run the doctor as the server's user, or make that "
            + "user its owner")
      ]
    }
    var results: [CheckResult] = []
    let mode = ((try? files.attributesOfItem(atPath: data))?[.posixPermissions] as? NSNumber)?.intValue ?? 0
    results.append(
      mode & 0o077 == 0
        ? CheckResult(name, .good, data)
        : CheckResult(name, .look, "\(data) can be read by other users, and has the positions of all devices; chmod 700 \(data)"))
    let free = (try? files.attributesOfFileSystem(forPath: data)[.systemFreeSize] as? NSNumber)?.int64Value
    if let free {
      let words = "\(free >> 20) MB free"
      results.append(
        free < Self.neededSpace
          ? CheckResult("Disk", .bad, "\(words); the server can store little or nothing until space is free")
          : free < Self.goodSpace
            ? CheckResult("Disk", .look, "\(words); free some space soon") : CheckResult("Disk", .good, words))
    }
    let token = data + "/admin-token"
    if let mode = ((try? files.attributesOfItem(atPath: token))?[.posixPermissions] as? NSNumber)?.intValue, mode & 0o077 != 0 {
      results.append(
        CheckResult(
          "Administrator token", .bad,
          "\(token) can be read by others; run `chmod 600` on it, and delete it if a new token is needed"))
    }
    return results
  }

  // MARK: The port

  private func port() async -> CheckResult {
    let name = "Port"
    guard listen.port > 0 else { return CheckResult(name, .good, "the system chooses one") }
    let isAny = listen.host == "0.0.0.0" || listen.host == "::"
    let host = isAny ? "127.0.0.1" : listen.host.contains(":") ? "[\(listen.host)]" : listen.host
    guard let url = URL(string: "\(certificate == nil ? "http" : "https")://\(host):\(listen.port)/healthz") else {
      return CheckResult(name, .look, "\(listen) is not an address")
    }
    // The certificate has the public name of the server and not this address, so the connection is verified by the key.
    let pin = certificate.flatMap { try? CertificateFile(path: $0).keyPin }
    let trust: TLSTrust = if let pin { .pinned([pin]) } else { .system }
    let request = HTTPClient.Request(method: "GET", url: url, timeout: 5, trust: trust)
    do {
      let response = try await HTTPClient.live().send(request)
      let object = (try? JSONSerialization.jsonObject(with: Data(response.body))) as? [String: Any]
      if response.status == 200, object?["status"] as? String == "ok" {
        return CheckResult(name, .good, "godwit \(object?["version"] as? String ?? "") answers at \(listen)")
      }
      if response.status == 503 {
        return CheckResult(
          name, .bad, "godwit answers at \(listen), but its store does not: \(object?["detail"] as? String ?? "503")")
      }
      return CheckResult(name, .bad, "another program answers at \(listen); name another port with --listen")
    } catch {
      guard TCPProbe.canConnect(host: isAny ? "127.0.0.1" : listen.host, port: listen.port) else {
        return CheckResult(name, .look, "nothing listens at \(listen): it is free for `godwit serve --listen \(listen)`")
      }
      if let certificate {
        return CheckResult(
          name, .bad,
          "the program that listens at \(listen) does not answer over TLS with the key of \(certificate): \(error) Restart the server "
            + "with this certificate, or name another port with --listen")
      }
      return CheckResult(
        name, .bad, "another program listens at \(listen), and does not speak HTTP; name another port with --listen")
    }
  }

  // MARK: Files

  private func files(_ now: Date) -> [CheckResult] {
    let library = MapLibrary().folder
    var results = [
      CheckResult(
        MapLibrary.subject, library == nil ? .look : .good, library ?? MapLibrary.advice)
    ]
    if let certificate { results.append(check(atCertificate: certificate, now)) }
    if let key { results.append(check(atKey: key)) }
    return results
  }

  private func check(atCertificate path: String, _ now: Date) -> CheckResult {
    let name = "Certificate"
    let file: CertificateFile
    do throws(TLSError) { file = try CertificateFile(path: path) } catch {
      return CheckResult(name, .bad, "\(error); use a file that begins with the server's own certificate")
    }
    if file.notAfter <= now { return CheckResult(name, .bad, "\(path) ended \(file.notAfter.formattedUTC); get a new one") }
    if file.notBefore > now { return CheckResult(name, .bad, "\(path) begins \(file.notBefore.formattedUTC); check the clock") }
    let words = "\(path) is valid until \(file.notAfter.formattedUTC)"
    return file.notAfter < now.addingTimeInterval(Self.certificateDays * DayLength.seconds)
      ? CheckResult(name, .look, "\(words); check its automatic renewal") : CheckResult(name, .good, words)
  }

  private func check(atKey path: String) -> CheckResult {
    let name = "Key"
    guard let text = FileManager.default.contents(atPath: path) else {
      return CheckResult(name, .bad, "\(path) cannot be read by this user; make the server's user its owner")
    }
    guard String(decoding: text, as: UTF8.self).contains("PRIVATE KEY-----") else {
      return CheckResult(name, .bad, "\(path) has no private key in PEM")
    }
    let mode = ((try? FileManager.default.attributesOfItem(atPath: path))?[.posixPermissions] as? NSNumber)?.intValue ?? 0
    return mode & 0o007 != 0
      ? CheckResult(name, .bad, "\(path) can be read by all users; chmod 600 it") : CheckResult(name, .good, path)
  }
}
