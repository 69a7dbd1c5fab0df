import Foundation
import Synchronization
import TestClient
import TestCluster
import TestParts
import Testing

@Suite(
  "The integrations page in a browser", .serialized,
  .enabled(if: TestPart.browser.isRun, "\(TestPart.browser.reason)"))
struct IntegrationsPageTests {
  private static let ready = "document.body.dataset.state === 'ready'"

  /// Clicks the button with a label, and waits for the notice with the result.
  private func click(_ label: String, expecting notice: String, _ browser: Chromium) async throws {
    let button =
      "[...document.querySelectorAll('button')].find((button) => (button.ariaLabel || button.textContent).startsWith('\(label)'))"
    try await browser.wait("!!\(button)")
    try await browser.run("\(button).click()")
    try await browser.wait("document.getElementById('toast').textContent === '\(notice)' && \(Self.ready)")
  }

  @Test(
    "a webhook is created with its secret, its failed delivery is sent again, and it is changed, disabled and deleted",
    .timeLimit(.minutes(10)))
  func webhook() async throws {
    let server = try await RunningServer()
    let address = "http://127.0.0.1:\(server.port)"
    let isUnavailable = Mutex(true)
    let sink = try WebhookSink { _ in isUnavailable.withLock(\.self) ? 503 : 200 }
    let url = "http://127.0.0.1:\(sink.port)/hook"
    let region = #"{"id":"home","center":{"latitude":46.05,"longitude":14.5},"radius":200}"#
    #expect(try await ask("PUT", "\(address)/api/v1/regions/home", region, token: server.administratorToken).status < 300)

    let browser = try await Chromium()
    try await server.login(browser)
    try await browser.visit("\(address)/integrations")
    try await browser.wait("\(Self.ready) && document.body.innerText.includes('No webhooks yet.')")
    // An invalid address is rejected with a message beside the form.
    try await browser.click("#view form [name=url]")
    try await browser.type("nowhere")
    try await browser.press("Enter")
    try await browser.wait("document.querySelector('#view form .problem')?.hidden === false")
    try await browser.run("document.querySelector('#view form [name=url]').select()")
    try await browser.type(url)
    try await browser.press("Enter")
    try await browser.wait("document.activeElement?.id === 'new-secret'")
    let secret: String = try await browser.value("document.querySelector('#new-secret code').textContent")
    #expect(secret.count >= 20)
    try await browser.wait("document.querySelector('.hook')?.innerText.includes('No delivery yet')")

    #expect(try await ask("POST", server.endpoint, DayOfTests.overland(), token: server.token).status == 200)
    try await server.background.wait("a delivery") { sink.deliveries.first }
    try await browser.visit("\(address)/integrations")
    try await browser.wait("\(Self.ready) && document.body.innerText.includes('Deliveries that have not arrived')")
    let row: String = try await browser.value("document.querySelector('table').innerText")
    #expect(row.contains("A device entered a region") && row.contains("walker") && row.contains("503"), "\(row)")
    isUnavailable.withLock { $0 = false }
    try await click("Send delivery", expecting: "It is sent again.", browser)
    try await server.background.wait("the delivery") { sink.accepted.first }
    try await browser.visit("\(address)/integrations")
    try await browser.wait("document.querySelector('.hook')?.innerText.includes('Last delivery')")

    let entry = "document.querySelector('.hook').innerText"
    try await browser.run("document.querySelector('.hook button').click()")
    try await browser.click("dialog [name=devices]")
    try await browser.type("walker")
    try await browser.press("Enter")
    try await browser.wait("!document.querySelector('dialog') && \(entry).includes('of devices \u{2068}walker\u{2069}')")
    try await click("Disable the webhook", expecting: "Disabled.", browser)
    try await browser.wait("[...document.querySelectorAll('.hook button')].some(({ textContent }) => textContent === 'Enable')")
    try await click("Enable the webhook", expecting: "Enabled.", browser)
    try await browser.wait("[...document.querySelectorAll('.hook button')].some(({ textContent }) => textContent === 'Disable')")
    // A deletion cannot be undone, so it needs a second click.
    try await browser.run("[...document.querySelectorAll('.hook button')].at(-1).click()")
    try await browser.wait("[...document.querySelectorAll('.hook button')].at(-1).textContent === 'Sure?'")
    #expect(try await browser.value("document.querySelectorAll('.hook').length", as: Int.self) == 1)
    try await click("Delete the webhook", expecting: "Deleted, with its deliveries.", browser)
    try await browser.wait("document.body.innerText.includes('No webhooks yet.')")
    await sink.stop()
    #expect(browser.pageErrors.filter { !$0.contains("422") && !$0.contains("400") }.isEmpty, "\(browser.pageErrors)")
  }

  @Test("the mirror is shown with its state, its delay and the reason of the last failure")
  func mirror() async throws {
    let folder = try TemporaryFolder()
    try Data("gwt_x\n".utf8).write(to: folder.url.appendingPathComponent("token"))
    let port = try TestCluster.freePort()
    let server = try await RunningServer(
      more: ["--mirror", "http://127.0.0.1:\(port)", "--mirror-token-file", folder.path("token")])
    let address = "http://127.0.0.1:\(server.port)"
    let browser = try await Chromium()
    try await server.login(browser)
    try await browser.visit("\(address)/integrations")
    let facts = "[...document.querySelectorAll('dt')].map((title) => title.textContent + ': ' + title.nextSibling.textContent)"
    try await browser.wait("\(Self.ready) && \(facts).includes('State: No connection yet')")
    #expect(try await ask("POST", server.endpoint, DayOfTests.overland(), token: server.token).status == 200)
    try await server.background.wait("a failed attempt") {
      try Executable.run(["doctor", "--server", "--data", server.data]).text.contains("does not have") ? true : nil
    }
    try await browser.visit("\(address)/integrations")
    try await browser.wait("\(Self.ready) && \(facts).some((fact) => /^State: \\d+.* behind$/.test(fact))")
    try await browser.wait("\(facts).includes('Server: http://127.0.0.1:\(port)') && \(facts).includes('Last success: none yet')")
    try await browser.wait(
      "[...document.querySelectorAll('.problem')].some(({ textContent }) => textContent.includes('next attempt'))")
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }

  @Test("MQTT and the mirror are shown as off, with instructions to turn them on")
  func withoutBroker() async throws {
    let server = try await RunningServer()
    let browser = try await Chromium()
    try await server.login(browser)
    try await browser.visit("http://127.0.0.1:\(server.port)/integrations")
    try await browser.wait("\(Self.ready) && document.body.innerText.includes('Start the server with --mqtt')")
    try await browser.wait("document.body.innerText.includes('Start this server with --mirror')")
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }
}
