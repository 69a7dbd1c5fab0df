import Foundation
import TestClient
import TestParts
import Testing

@Suite("The places page in a browser", .serialized, .enabled(if: TestPart.browser.isRun, "\(TestPart.browser.reason)"))
struct PlacesPageTests {
  private static let ready = "document.body.dataset.state === 'ready'"
  private static let name = "document.querySelector('#place h1')?.textContent"

  @Test("undoes a change and a removal with the notice, and a merge from the list of changes", .timeLimit(.minutes(10)))
  func undo() async throws {
    let server = try await RunningServer()
    let administrator = try server.administratorToken
    let browser = try await Chromium()
    try await server.login(browser)
    let address = "http://127.0.0.1:\(server.port)"
    try await browser.visit("\(address)/places")
    try await browser.wait("\(Self.ready) && document.getElementById('past').hidden")
    func add(_ name: String, _ latitude: Double) async throws -> String {
      // As the page does, so that the places are those of the signed-in user.
      try await browser.value(
        """
        fetch('/api/v1/places', { method: 'POST', headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ name: '\(name)', latitude: \(latitude), longitude: 14.5, radius: 50 }) })
          .then((response) => response.json()).then(({ id }) => id)
        """)
    }
    let (home, gate) = (try await add("Home", 46.05), try await add("Gate", 46.0508))
    func names() async throws -> String {
      try await browser.value("[...document.querySelectorAll('#list b')].map((name) => name.textContent).sort().join()")
    }

    try await browser.visit("\(address)/places?place=\(home)")
    try await browser.wait("\(Self.ready) && \(Self.name) === 'Home'")
    try await browser.run("document.querySelector('[name=name]').focus(); document.querySelector('[name=name]').select()")
    try await browser.type("Flat")
    try await browser.press("Enter")
    try await browser.wait("\(Self.ready) && \(Self.name) === 'Flat' && !!document.querySelector('.undo-notice')")
    try await browser.click(".undo-notice button")
    try await browser.wait("\(Self.ready) && \(Self.name) === 'Home'")

    try await browser.click("#place .tools .danger")
    try await browser.click("#place .tools .danger")
    try await browser.wait(
      "\(Self.ready) && !document.getElementById('overview').hidden && !!document.querySelector('.undo-notice')")
    #expect(try await names() == "Gate")
    try await browser.click(".undo-notice button")
    try await browser.wait("\(Self.ready) && \(Self.name) === 'Home'")

    try await browser.visit("\(address)/places?place=\(gate)")
    try await browser.wait("\(Self.ready) && \(Self.name) === 'Gate'")
    try await browser.run(
      """
      (() => { const list = document.querySelector('#place select'); list.value = '\(home)';
        list.dispatchEvent(new Event('change', { bubbles: true })); })()
      """)
    try await browser.wait("\(Self.ready) && \(Self.name) === 'Home' && !!document.querySelector('.undo-notice')")
    try await browser.visit("\(address)/places")
    try await browser.wait("\(Self.ready) && !document.getElementById('past').hidden")
    #expect(try await names() == "Home")
    try await browser.click("#changes summary")
    try await browser.wait("document.querySelector('#changes li')?.innerText.includes('Gate merged into Home')")
    try await browser.click("#changes li button")
    try await browser.wait("\(Self.ready) && \(Self.name) === 'Gate'")
    try await browser.click("#place .plain")
    try await browser.wait("\(Self.ready) && document.querySelectorAll('#list li').length === 2")
    #expect(try await names() == "Gate,Home")
    let left = try await ask("GET", "\(address)/api/v1/place-changes", token: administrator)
    #expect(left.text.contains(#""changes":[]"#), "\(left.text)")
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }
}
