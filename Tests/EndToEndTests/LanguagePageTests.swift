import Foundation
import TestClient
import TestParts
import TestServer
import Testing

/// Checks every page in each language.
@Suite("Every page in another language", .serialized, .enabled(if: TestPart.browser.isRun, "\(TestPart.browser.reason)"))
struct LanguagePageTests {
  /// Returns the texts of a page that are still English, and the elements that do not fit. A text with placeholders matches every
  /// text that it can produce.
  private static let audit = """
    (async () => {
      const table = (await import(`/texts-${document.documentElement.lang}.js`)).default;
      const escaped = (text) => text.replace(/[.*+?^$(){}|[\\]\\\\]/g, "\\\\$&");
      const patterns = Object.entries(table)
        .filter(([key, value]) => typeof value === "string" ? value !== key.split("|")[0] : value.other !== key)
        .map(([key]) => key.split("|")[0])
        .filter((key) => /[A-Za-z]{3}/.test(key.replace(/\\{\\w+\\}|<[^>]+>/g, "")) && !/^\\{\\w+\\}\\W*\\{\\w+\\}$/.test(key))
        .map((key) => new RegExp(`^${escaped(key).replace(/\\\\\\{\\w+\\\\\\}/g, ".*")}$`, "s"));
      // Some translations are English texts as well.
      const translations = new Set(Object.values(table).flatMap((value) => (typeof value === "string" ? [value] : Object.values(value))));
      const isEnglish = (text) => /[A-Za-z]{3}/.test(text) && !translations.has(text) && patterns.some((pattern) => pattern.test(text));
      const found = [];
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      for (let node; (node = walker.nextNode()); ) {
        const text = node.data.replace(/\\s+/g, " ").trim();
        if (node.parentElement.closest("script, style, code, pre, noscript, bdi, [translate=no], [lang]:not(html)")) continue;
        if (isEnglish(text)) found.push(`English: ${text}`);
      }
      for (const element of document.body.querySelectorAll("[aria-label], [title], [placeholder], [alt]")) {
        if (element.closest("[translate=no], [lang]:not(html)")) continue;
        for (const name of ["aria-label", "title", "placeholder", "alt"]) {
          const text = element.getAttribute(name);
          if (text && isEnglish(text)) found.push(`English in ${name}: ${text}`);
        }
      }
      const width = document.documentElement.scrollWidth;
      if (width > innerWidth) found.push(`is ${width} px wide`);
      for (const element of document.body.querySelectorAll("button, a.button, nav a, [role=tab]")) {
        if (element.offsetParent && element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0) {
          found.push(`does not fit: ${element.textContent.trim().slice(0, 60)}`);
        }
      }
      return [...new Set(found)];
    })()
    """

  @Test(
    "has no English text, and fits on a desktop and on a phone", .timeLimit(.minutes(10)), arguments: ["de", "fr", "es", "sl"])
  func translated(_ language: String) async throws {
    let server = try await RunningServer()
    #expect(try await ask("POST", server.endpoint, DayOfTests.overland(), token: server.token).status == 200)
    let browser = try await Chromium()
    try await server.login(browser)
    let body = "{\"language\":\"\(language)\"}"
    let set: Int = try await browser.value(
      """
      fetch("/api/v1/preferences", { method: "PUT", headers: { "Content-Type": "application/json" }, body: '\(body)' })
        .then(({ status }) => status)
      """)
    #expect(set == 200)
    var found: [String] = []
    for page in CheckedPage.all where page.needsSession {
      try await browser.resize(width: 1280, height: 800)
      try await browser.visit("about:blank")
      try await browser.visit("http://127.0.0.1:\(server.port)\(page.path)")
      try await browser.wait(page.isReady)
      let shown: String = try await browser.value("document.documentElement.lang")
      #expect(shown == language, "\(page.path)")
      for (width, height) in [(1280, 800), (390, 844)] {
        try await browser.resize(width: width, height: height)
        try await browser.wait("innerWidth === \(width) && new Promise((done) => requestAnimationFrame(() => done(true)))")
        let faults: [String] = try await browser.value(Self.audit)
        found += faults.map { "\(page.path) (\(width) px): \($0)" }
      }
    }
    // The links of the bar fit at each width, also with the link of a demo.
    try await browser.visit("http://127.0.0.1:\(server.port)/settings")
    try await browser.wait("document.body.dataset.state === 'ready'")
    for width in [681, 800, 870, 1000, 1030, 1100, 1250, 1290, 1400, 1490] {
      try await browser.resize(width: width, height: 700)
      try await browser.wait("innerWidth === \(width) && new Promise((done) => requestAnimationFrame(() => done(true)))")
      for (isDemo, script) in [
        (false, "delete document.documentElement.dataset.demo;"), (true, "document.documentElement.dataset.demo = 'done';"),
      ] {
        let right: Double = try await browser.value(
          "\(script) Math.max(...[...document.querySelectorAll('#shell a, #shell summary')].map((element) => element.getBoundingClientRect().right))"
        )
        if right > Double(width) { found.append("The bar ends at \(right) of \(width) px\(isDemo ? " in a demo" : "").") }
      }
    }
    #expect(found.isEmpty, "\(found.joined(separator: "\n"))")
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }

  @Test("shows validation messages and log entries in the selected language", .timeLimit(.minutes(10)))
  func faults() async throws {
    let server = try await RunningServer()
    let browser = try await Chromium()
    try await server.login(browser)
    try await browser.run(
      """
      fetch("/api/v1/preferences", { method: "PUT", headers: { "Content-Type": "application/json" }, body: '{"language":"de"}' })
      """)
    let page = "http://127.0.0.1:\(server.port)"
    // A form that the browser validates.
    try await browser.visit("\(page)/welcome")
    try await browser.wait("document.body.dataset.state === 'ready'")
    let messages: [String] = try await browser.value(
      """
      (() => {
        const form = document.getElementById("machine");
        const { name } = form.elements;
        form.closest("[hidden]")?.removeAttribute("hidden");
        name.value = "";
        form.requestSubmit();
        const missing = name.validationMessage;
        name.value = "desk";
        name.dispatchEvent(new Event("input", { bubbles: true }));
        return [missing, name.validationMessage];
      })()
      """)
    #expect(messages == ["Fülle dieses Feld aus.", ""])
    // A form that shows its own validation messages.
    try await browser.visit("\(page)/account#zones")
    try await browser.wait("document.body.dataset.state === 'zones'")
    for (latitude, radius, text) in [
      ("", "300", "Breite: Fülle dieses Feld aus."), ("46", "10", "Radius (m): Der kleinste Wert ist 50."),
    ] {
      try await browser.run(
        """
        (() => {
          const form = document.querySelector("#pane-zones form");
          const { name, latitude, longitude, radius } = form.elements;
          Object.assign(name, { value: "Zuhause" });
          [latitude.value, longitude.value, radius.value] = ["\(latitude)", "14", "\(radius)"];
          form.requestSubmit();
        })()
        """)
      #expect(try await browser.value("document.querySelector('#pane-zones .problem').textContent", as: String.self) == text)
    }
    // The log uses the language of the page.
    try await browser.visit("\(page)/account#log")
    try await browser.wait("document.querySelector('#pane-log tbody')?.innerText.includes('Anmeldung per Link')")
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }
}
