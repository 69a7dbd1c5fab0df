import Foundation
import TestParts
import Testing

#if canImport(Glibc)
  import Glibc
#endif

/// Headless Chromium with one page, controlled with the DevTools protocol over a pair of pipes.
final class Chromium {
  private let folder: TemporaryFolder
  private let background: Background
  private let toBrowser: Int32
  private let fromBrowser: Int32
  private var received: [UInt8] = []
  private var number = 0
  private var session: String?
  /// The errors of the page: exceptions of scripts, `console.error`, and violations of its content security policy.
  private(set) var pageErrors: [String] = []
  /// The addresses that the page has requested since `Network.enable`.
  private(set) var requests: [String] = []

  static var program: URL? { TestPart.browser.file }

  /// How the browser draws WebGL, without the machine's graphics processor.
  enum Drawing {
    case software, none

    var flags: [String] {
      switch self {
      case .software: ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
      case .none: ["--disable-gpu", "--disable-software-rasterizer"]
      }
    }
  }

  /// Turns off what the browser does besides the page: updates, synchronization, measurements.
  private static let quiet = [
    "--no-first-run", "--no-default-browser-check", "--disable-background-networking", "--disable-component-update",
    "--disable-default-apps", "--disable-extensions", "--disable-sync", "--metrics-recording-only",
    "--disable-features=Translate,MediaRouter,OptimizationHints",
  ]

  /// - Parameter arguments: more arguments of Chromium.
  init(drawing: Drawing = .software, arguments: [String] = []) async throws {
    folder = try TemporaryFolder()
    let (input, output) = (folder.path("to"), folder.path("from"))
    for pipe in [input, output] where mkfifo(pipe, 0o600) != 0 { throw Failure("mkfifo: \(errno)") }
    // Opened for reading and writing, so that `open` does not wait for the other side.
    toBrowser = open(input, O_RDWR)
    fromBrowser = open(output, O_RDWR | O_NONBLOCK)
    let chromium = try #require(Self.program)
    background = try Background(
      try #require(Executable.find("bash")),
      [
        "-c", #"exec "$@" 3<"$TO" 4>"$FROM""#, "bash", chromium.path, "--headless=new", "--no-sandbox",
        "--remote-debugging-pipe", "--user-data-dir=\(folder.path("profile"))",
      ] + Self.quiet + drawing.flags + arguments + ["about:blank"], in: folder, environment: ["TO": input, "FROM": output])
    let target = try await call("Target.createTarget", ["url": "about:blank"])["targetId"] as? String
    let attached = try await call("Target.attachToTarget", ["targetId": try #require(target), "flatten": true])
    session = try #require(attached["sessionId"] as? String)
    for domain in ["Page", "Runtime", "Log"] { try await call("\(domain).enable") }
  }

  deinit {
    background.kill()
    close(toBrowser)
    close(fromBrowser)
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  /// Calls a method of the DevTools protocol, and returns its result.
  @discardableResult
  func call(_ method: String, _ parameters: [String: Any] = [:]) async throws -> [String: Any] {
    number += 1
    var message: [String: Any] = ["id": number, "method": method, "params": parameters]
    if let session { message["sessionId"] = session }
    let bytes = [UInt8](try JSONSerialization.data(withJSONObject: message)) + [0]
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes { write(toBrowser, $0.baseAddress, $0.count) }
      guard count > 0 else { throw Failure("Cannot write to the browser: \(errno)") }
      sent += count
    }
    let end = Date().addingTimeInterval(30)
    while Date() < end {
      guard let message = try await nextMessage() else { continue }
      record(message)
      guard message["id"] as? Int == number else { continue }
      if let error = message["error"] as? [String: Any] { throw Failure("\(method): \(error)") }
      return message["result"] as? [String: Any] ?? [:]
    }
    throw Failure("\(method): no response. \(background.errorOutput)")
  }

  /// Returns the next complete message. If there is none, reads from the pipe or waits 5 ms, and returns `nil`.
  private func nextMessage() async throws -> [String: Any]? {
    if let end = received.firstIndex(of: 0) {
      let text = Data(received[..<end])
      received.removeSubrange(...end)
      return try JSONSerialization.jsonObject(with: text) as? [String: Any]
    }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = buffer.withUnsafeMutableBytes { read(fromBrowser, $0.baseAddress, $0.count) }
    if count > 0 {
      received += buffer[..<count]
    } else {
      try await Task.sleep(for: .milliseconds(5))
    }
    return nil
  }

  private func record(_ message: [String: Any]) {
    let parameters = message["params"] as? [String: Any]
    switch message["method"] as? String {
    case "Runtime.consoleAPICalled" where parameters?["type"] as? String == "error":
      pageErrors.append("\(parameters?["args"] ?? "console.error")")
    case "Network.requestWillBeSent":
      let request = parameters?["request"] as? [String: Any]
      if let address = request?["url"] as? String { requests.append(address) }
    case "Runtime.exceptionThrown": pageErrors.append("\(parameters?["exceptionDetails"] ?? "exception")")
    case "Log.entryAdded":
      let entry = parameters?["entry"] as? [String: Any]
      // Failed requests are not recorded, because the server rejects requests in these tests.
      if entry?["level"] as? String == "error", entry?["source"] as? String != "network" {
        pageErrors.append("\(entry?["text"] ?? "error")")
      }
    default: break
    }
  }

  // MARK: The page

  /// Opens a link of `godwit login`, and waits for the page that it leads to.
  func login(_ arguments: [String]) async throws {
    let result = try Executable.run(["login"] + arguments)
    let link = result.text.trimmingCharacters(in: .newlines)
    #expect(result.status == 0 && link.contains("/login#"), "\(result.errorOutput)")
    try await visit(link)
    // If the server has no points, the script of the map redirects to /welcome. Without this wait it could replace a page visited later.
    try await wait(
      """
      (location.pathname === '/welcome' || (location.pathname === '/' && document.body.dataset.state !== 'connecting'))
        && location.hash === '' && document.readyState === 'complete'
      """)
  }

  func visit(_ address: String) async throws { try await call("Page.navigate", ["url": address]) }

  /// Ends the session of a server's user. The browser is then at a page without scripts: scripts of the page before could react to the end
  /// of the session with a visit of the sign-in page, after a later visit of the test.
  /// - Parameter server: the address of the server.
  func signOut(of server: String) async throws {
    try await visit("\(server)/healthz")
    try await wait("location.pathname === '/healthz' && document.readyState === 'complete'")
    try await run("fetch('/api/v1/session', { method: 'DELETE' }).then(({ ok, status }) => { if (!ok) throw status; })")
  }

  /// Reloads the page, and waits until the old page is gone. Otherwise a later wait could test the old page.
  func reload() async throws {
    try await run("window.isOld = true")
    try await call("Page.reload")
    try await wait("window.isOld === undefined")
  }

  func resize(width: Int, height: Int) async throws {
    try await call(
      "Emulation.setDeviceMetricsOverride",
      ["width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600])
  }

  /// Emulates a touch screen.
  func touch() async throws {
    try await call("Emulation.setTouchEmulationEnabled", ["enabled": true, "maxTouchPoints": 5])
  }

  /// Sets the color scheme that the system prefers: "light" or "dark".
  func prefer(scheme: String) async throws {
    try await call("Emulation.setEmulatedMedia", ["features": [["name": "prefers-color-scheme", "value": scheme]]])
  }

  /// Evaluates an expression in the page and returns its value.
  func value<Value>(_ expression: String, as type: Value.Type = Value.self) async throws -> Value {
    let result = try await call(
      "Runtime.evaluate", ["expression": expression, "awaitPromise": true, "returnByValue": true])
    if let details = result["exceptionDetails"] { throw Failure("\(expression): \(details)") }
    let object = result["result"] as? [String: Any]
    guard let value = object?["value"] as? Value else { throw Failure("\(expression) is \(object ?? [:])") }
    return value
  }

  func run(_ script: String) async throws {
    let result = try await call("Runtime.evaluate", ["expression": script, "awaitPromise": true])
    if let details = result["exceptionDetails"] { throw Failure("\(script): \(details)") }
  }

  /// Waits until an expression, or the promise that it returns, is true. An exception counts as false: the page may still be loading.
  func wait(_ expression: String, seconds: Double = 30) async throws {
    let end = Date().addingTimeInterval(seconds)
    while Date() < end {
      let tried = "(async () => Boolean(await (\(expression))))().catch(() => false)"
      do {
        if try await value(tried, as: Bool.self) { return }
      } catch let failure as Failure where failure.description.contains("navigated or closed") {
        // The page was replaced during the evaluation. The next attempt evaluates the expression in the new page.
      }
      try await Task.sleep(for: .milliseconds(50))
    }
    let page: String = try await value("location.href + ' ' + document.body.innerText.slice(0, 1500)")
    throw Failure("Timed out waiting for \(expression). The page: \(page)")
  }

  /// Clicks in the middle of the first element that matches a selector.
  func click(_ selector: String) async throws {
    let place: [Double] = try await value(
      """
      (() => {
        const element = document.querySelector(\(selector.quoted));
        element.scrollIntoView({ block: "center", behavior: "instant" });
        const box = element.getBoundingClientRect();
        return [box.x + box.width / 2, box.y + box.height / 2];
      })()
      """)
    for type in ["mousePressed", "mouseReleased"] {
      try await call(
        "Input.dispatchMouseEvent", ["type": type, "x": place[0], "y": place[1], "button": "left", "clickCount": 1])
    }
  }

  /// Presses a key by its name: Tab, Enter, ArrowRight, Space.
  func press(_ key: String) async throws {
    let codes = ["Tab": 9, "Enter": 13, "Escape": 27, "Space": 32, "ArrowLeft": 37, "ArrowRight": 39]
    var event: [String: Any] = [
      "key": key == "Space" ? " " : key, "code": key, "windowsVirtualKeyCode": codes[key] ?? 0, "type": "keyDown",
    ]
    if let text = ["Enter": "\r", "Space": " "][key] { event["text"] = text }
    try await call("Input.dispatchKeyEvent", event)
    event["type"] = "keyUp"
    event["text"] = nil
    try await call("Input.dispatchKeyEvent", event)
  }

  /// Chooses files in a file input.
  func choose(_ files: [String], in selector: String) async throws {
    let root = try #require(try await call("DOM.getDocument")["root"] as? [String: Any])
    let node = try await call(
      "DOM.querySelector", ["nodeId": try #require(root["nodeId"] as? Int), "selector": selector])
    try await call("DOM.setFileInputFiles", ["files": files, "nodeId": try #require(node["nodeId"] as? Int)])
  }

  /// Inserts text into the element that has the focus.
  func type(_ text: String) async throws { try await call("Input.insertText", ["text": text]) }
}

extension String {
  /// The string as a literal of JavaScript.
  fileprivate var quoted: String {
    "\"" + replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}
