import Foundation
import TestClient
import TestCluster
import TestParts
import Testing

/// The portal of LemonLDAP::NG under Plack, with its demonstration users.
private final class LemonLDAP {
  let issuer: String
  private let folder: TemporaryFolder
  private let port: UInt16
  private var background: Background?

  init() throws {
    folder = try TemporaryFolder()
    port = try TestCluster.freePort()
    issuer = "http://127.0.0.1:\(port)"
  }

  /// Starts the portal.
  /// - Parameter redirect: the address to which the portal redirects browsers after the sign-in.
  func start(redirect: String) async throws {
    let plackup = try #require(TestPart.lemonldap.file)
    let root = plackup.deletingLastPathComponent().deletingLastPathComponent()
    for name in ["conf", "sessions", "sessions/lock", "cache", "lib/Local"] {
      try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: true)
    }
    let openssl = try #require(Executable.find("openssl"))
    #expect(try Executable.run(openssl, ["genrsa", "-out", folder.path("key"), "2048"]).status == 0)
    #expect(
      try Executable.run(openssl, ["rsa", "-in", folder.path("key"), "-pubout", "-out", folder.path("public")]).status == 0)
    try JSONSerialization.data(withJSONObject: try configuration(redirect))
      .write(to: URL(fileURLWithPath: folder.path("conf/lmConf-1.json")))
    let templates = root.appendingPathComponent("share/lemonldap-ng/portal/templates").path
    try write(
      "ini",
      """
      [all]
      logLevel=error
      localSessionStorage=
      [configuration]
      type=File
      dirName=\(folder.path("conf"))
      localStorage=Cache::FileCache
      localStorageOptions={'namespace'=>'test','cache_root'=>'\(folder.path("cache"))'}
      [portal]
      templateDir=\(templates)
      portalSkin=bootstrap
      languages=en
      staticPrefix=/static
      """)
    // Replaces the portal's captcha module, which needs an image library.
    try write(
      "lib/Local/NoCaptcha.pm",
      "package Local::NoCaptcha;\nuse strict;\nuse Mouse;\nextends 'Lemonldap::NG::Common::Module';\nsub init { 1 }\n1;\n")
    try write(
      "app.psgi",
      """
      use Lemonldap::NG::Portal::Main;
      Lemonldap::NG::Portal::Main->run({ configStorage => {
        type => 'File', dirName => '\(folder.path("conf"))', confFile => '\(folder.path("ini"))' } });
      """)
    let libraries =
      [folder.path("lib"), root.appendingPathComponent("share/perl5").path] + Self.compiledModules(in: root)
    background = try Background(
      try #require(Executable.find("perl")),
      [plackup.path, "-s", "HTTP::Server::PSGI", "--host", "127.0.0.1", "--port", "\(port)", folder.path("app.psgi")], in: folder,
      environment: ["PERL5LIB": libraries.joined(separator: ":"), "LLNG_DEFAULTCONFFILE": folder.path("ini")])
    let curl = try #require(Executable.find("curl"))
    try await background?.wait("the provider") {
      let response = try Executable.run(curl, ["-s", "\(issuer)/.well-known/openid-configuration"])
      return response.text.contains("token_endpoint") ? true : nil
    }
  }

  /// Returns the folders of Perl modules that have compiled code. Their paths contain a machine and a version of Perl:
  /// `lib/x86_64-linux-gnu/perl5/5.36`.
  private static func compiledModules(in root: URL) -> [String] {
    func content(_ folder: URL) -> [URL] {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
      return names.sorted().map { folder.appendingPathComponent($0) }
    }
    return content(root.appendingPathComponent("lib")).flatMap { content($0.appendingPathComponent("perl5")) }.map(\.path)
  }

  private func write(_ name: String, _ text: String) throws {
    try text.write(toFile: folder.path(name), atomically: true, encoding: .utf8)
  }

  private func configuration(_ redirect: String) throws -> [String: Any] {
    func text(_ name: String) throws -> String { try String(contentsOfFile: folder.path(name), encoding: .utf8) }
    let sessions = ["Directory": folder.path("sessions"), "LockDirectory": folder.path("sessions/lock")]
    let client: [String: Any] = [
      "oidcRPMetaDataOptionsClientID": "godwit", "oidcRPMetaDataOptionsClientSecret": "s3cret",
      "oidcRPMetaDataOptionsIDTokenSignAlg": "RS256", "oidcRPMetaDataOptionsRedirectUris": redirect,
      "oidcRPMetaDataOptionsBypassConsent": 1, "oidcRPMetaDataOptionsUserIDAttr": "uid", "oidcRPMetaDataOptionsRequirePKCE": 1,
    ]
    return [
      "cfgNum": 1, "cfgAuthor": "test", "cfgDate": 1, "domain": "127.0.0.1", "portal": issuer + "/", "key": "0123456789abcdef",
      "authentication": "Demo", "userDB": "Same", "passwordDB": "Demo", "registerDB": "Null", "captcha": "Local::NoCaptcha",
      "securedCookie": 0, "requireToken": 0, "cookieName": "lemonldap", "globalStorage": "Apache::Session::File",
      "globalStorageOptions": sessions, "persistentStorage": "Apache::Session::File", "persistentStorageOptions": sessions,
      "demoExportedVars": ["cn": "cn", "mail": "mail", "uid": "uid"], "issuerDBOpenIDConnectActivation": 1,
      "issuerDBOpenIDConnectPath": "^/oauth2/", "issuerDBOpenIDConnectRule": 1, "oidcServiceMetaDataIssuer": issuer,
      "oidcServiceAllowAuthorizationCodeFlow": 1, "oidcServicePrivateKeySig": try text("key"),
      "oidcServicePublicKeySig": try text("public"), "oidcServiceKeyIdSig": "key-1", "oidcRPMetaDataOptions": ["godwit": client],
      "oidcRPMetaDataExportedVars": ["godwit": ["preferred_username": "uid", "email": "mail", "name": "cn"]],
      "locationRules": [String: String](), "exportedHeaders": [String: String](), "macros": [String: String](),
      "groups": [String: String](), "applicationList": [String: String](), "loginHistoryEnabled": 0,
    ]
  }

  /// Signs in with the form of the portal, as a browser does.
  /// - Returns: the parameters of the address to which the provider sends the browser.
  func signIn(_ user: String, at address: String) throws -> [String: String] {
    let curl = try #require(Executable.find("curl"))
    let common = ["-s", "-b", folder.path("jar"), "-c", folder.path("jar"), "-H", "Accept: text/html"]
    let form = try Executable.run(curl, common + [address]).text
    var fields = [("user", user), ("password", user)]
    for match in form.matches(of: #/name="(url|token)" value="([^"]*)"/#) { fields.append((String(match.1), String(match.2))) }
    let sent = try Executable.run(
      curl,
      common + ["-o", "/dev/null", "-w", "%{redirect_url}"] + fields.flatMap { ["--data-urlencode", "\($0.0)=\($0.1)"] } + [
        address
      ])
    let items = URLComponents(string: sent.text)?.queryItems ?? []
    return Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first }
  }
}

@Suite(
  "Sign-in at LemonLDAP::NG", .serialized, .timeLimit(.minutes(20)),
  .enabled(if: TestPart.lemonldap.isRun, "\(TestPart.lemonldap.reason)"))
struct LemonLDAPTests {
  @Test("a user of the provider becomes a member, and is the same user at the next sign-in")
  func signIn() async throws {
    let provider = try LemonLDAP()
    let folder = try TemporaryFolder()
    try "s3cret\n".write(toFile: folder.path("secret"), atomically: true, encoding: .utf8)
    let server = try await ServerWithOptions(
      [
        "--openid-issuer", provider.issuer, "--openid-client", "godwit", "--openid-secret-file", folder.path("secret"),
        "--openid-create",
      ], in: folder, listen: "127.0.0.1:0")
    let page = "http://127.0.0.1:\(server.port)"
    try await provider.start(redirect: "\(page)/sign-in/openid")
    for attempt in 1...2 {
      let jar = folder.path("jar-\(attempt)")
      let begun = try ServerWithOptions.curl(["-c", jar, "-d", "{}", "\(page)/api/v1/session/openid/options"])
      let object = try #require(JSONSerialization.jsonObject(with: begun.output) as? [String: Any], "\(begun.text)")
      let callback = try provider.signIn("dwho", at: try #require(object["address"] as? String, "\(begun.text)"))
      let code = try #require(callback["code"], "\(callback)")
      let body = #"{"code":"\#(code)","state":"\#(callback["state"] ?? "")"}"#
      let signedIn = try ServerWithOptions.curl(["-b", jar, "-c", jar, "-d", body, "\(page)/api/v1/session/openid"])
      #expect(signedIn.text.contains(#""name":"dwho","role":"member""#), "\(signedIn.text)")
      let session = try ServerWithOptions.curl(["-b", jar, "\(page)/api/v1/session"])
      #expect(session.text.contains(#""name":"dwho""#), "\(session.text)")
      // The provider reports the time of the authentication, so the session counts as confirmed.
      #expect(!session.text.contains(#""confirmed_until":null"#), "\(session.text)")
      let again = try ServerWithOptions.curl(["-b", jar, "-d", body, "\(page)/api/v1/session/openid"])
      #expect(again.text.contains("identity-not-accepted"), "\(again.text)")
    }
    let users = try ServerWithOptions.curl(
      ["-H", "Authorization: Bearer \(try server.administratorToken)", "\(page)/api/v1/users"])
    #expect(users.text.matches(of: #/"name":/#).count == 1, "\(users.text)")
  }
}
