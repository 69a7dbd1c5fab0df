import Synchronization
import Testing

@testable import GodwitHTTP

@Suite("The router")
struct RouterTests {
  /// A server whose routes respond with their path, the parameter and the number of body bytes.
  private static func server(_ routes: [(methods: [String], path: String)], answersOptions: Bool = true) throws -> HTTPServer {
    var router = Router(
      routes.map { methods, path in
        Route(
          methods: methods, path: path, takesAnyText: path == "/regions/ID",
          accept: { request throws(Problem) in
            if request.header("Refuse") != nil { throw Problem(403, "Refused", "Before the body.") }
          },
          respond: { request throws(Problem) in
            if request.header("Fail") != nil { throw Problem(422, "Failed", "With the body.") }
            return .now(.text("\(path) \(request.parameter) \(request.takeBody().count)"))
          })
      }, files: Router.Files(exist: { $0 == "/page.html" }, respond: { .text("file \($0.path)") }))
    if answersOptions { router.options = { _, _ throws(Problem) in [("More", "yes")] } }
    return HTTPServer(
      configuration: HTTPServer.Configuration(address: try #require(ListenAddress("127.0.0.1:0"))),
      handler: router.handler { response, _ in response.with("Complete", "yes") })
  }

  private static let routes: [(methods: [String], path: String)] = [
    (["GET"], "/regions"), (["POST"], "/regions"), (["GET"], "/regions/devices"), (["GET", "PUT"], "/regions/ID"),
    (["GET"], "/devices/NAME/regions"), (["GET"], "/devices/NAME"),
  ]

  @Test(
    "a route is found by its method and path; the more specific pattern wins",
    arguments: [
      ("GET", "/regions", "/regions  0"), ("HEAD", "/regions", "/regions  0"), ("POST", "/regions", "/regions  0"),
      ("GET", "/regions/devices", "/regions/devices  0"), ("PUT", "/regions/devices", "/regions/ID devices 0"),
      ("GET", "/regions/a/b", "/regions/ID a/b 0"), ("GET", "/devices/x/regions", "/devices/NAME/regions x 0"),
      ("GET", "/devices/x", "/devices/NAME x 0"), ("GET", "/page.html", "file /page.html"),
    ])
  func found(_ method: String, _ path: String, _ expected: String) throws {
    let response = try Self.server(Self.routes).respond(LocalRequest(method: method, path: path))
    #expect(response.status == 200)
    #expect(String(decoding: response.body, as: UTF8.self) == expected)
    #expect(response.headers["complete"] == "yes")
  }

  @Test(
    "another method than those of the path is answered with 405 and the header Allow",
    arguments: [
      ("DELETE", "/regions", "GET, POST, HEAD, OPTIONS"), ("DELETE", "/regions/devices", "GET, PUT, HEAD, OPTIONS"),
      ("POST", "/page.html", "GET, HEAD, OPTIONS"), ("POST", "/devices/x", "GET, HEAD, OPTIONS"),
    ])
  func otherMethod(_ method: String, _ path: String, _ allowed: String) throws {
    let response = try Self.server(Self.routes).respond(LocalRequest(method: method, path: path))
    #expect(response.status == 405)
    #expect(response.headers["allow"] == allowed)
  }

  @Test("OPTIONS returns the methods of a path if the router answers it", arguments: [true, false])
  func options(_ answersOptions: Bool) throws {
    let server = try Self.server(Self.routes, answersOptions: answersOptions)
    let response = server.respond(LocalRequest(method: "OPTIONS", path: "/regions"))
    #expect(response.status == (answersOptions ? 204 : 405))
    #expect(response.headers["allow"] == (answersOptions ? "GET, POST, HEAD, OPTIONS" : "GET, POST, HEAD"))
    #expect(response.headers["more"] == (answersOptions ? "yes" : nil))
    #expect(server.respond(LocalRequest(method: "OPTIONS", path: "/nothing")).status == 404)
  }

  @Test("a problem that a route throws before or after the body is the response")
  func problems() throws {
    let server = try Self.server(Self.routes)
    #expect(server.respond(LocalRequest(method: "GET", path: "/regions", headers: ["Refuse": "1"])).status == 403)
    #expect(server.respond(LocalRequest(method: "GET", path: "/regions", headers: ["Fail": "1"])).status == 422)
    #expect(server.respond(LocalRequest(method: "GET", path: "/nothing")).status == 404)
  }

  @Test("a rejected request is reported with its route's path")
  func rejected() throws {
    let reports = Mutex<[String]>([])
    var router = Router(
      [
        Route(
          methods: ["GET"], path: "/things/ID", accept: { _ throws(Problem) in throw Problem(401, "Unknown", "No token.") },
          respond: { _ throws(Problem) in .later }),
        Route(methods: ["GET"], path: "/things", accept: { _ throws(Problem) in }, respond: { _ throws(Problem) in .later }),
      ], files: Router.Files(exist: { _ in false }, respond: { _ in .text("") }))
    router.rejected = { _, path, problem in reports.withLock { $0.append("\(problem.status) \(path)") } }
    let server = HTTPServer(
      configuration: HTTPServer.Configuration(address: try #require(ListenAddress("127.0.0.1:0"))),
      handler: router.handler { response, _ in response })
    for (method, path) in [("GET", "/things/7"), ("PUT", "/things"), ("GET", "/secrets/7")] {
      _ = server.respond(LocalRequest(method: method, path: path))
    }
    #expect(reports.withLock { $0 } == ["401 /things/ID", "405 /things", "404 other"])
  }
}
