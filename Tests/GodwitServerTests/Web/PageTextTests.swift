import Foundation
import GodwitAccounts
import TestClient
import Testing

@testable import GodwitAPI
@testable import GodwitServer

@Suite("Translated page texts")
struct PageTextTests {
  private static let texts = [
    "Save": "Sichern", "Open the <a>timeline</a>.": "Die <a>Chronik</a> öffnen.",
    "One <b>two</b> <a>three</a>": "<a>3</a> <b>2</b> 1",
    "Account": "Konto", "Password, tokens": "Passwort", "Settings": "Einstellungen", "Add a \"tag\"": "Etikett „neu\"",
    "Earlier & later": "Früher", "Follow": "Folgen", "Places": "Orte", "Regions": "Gebiete",
  ]

  @Test(
    "texts of blocks and attributes are replaced, and tags, attributes and spaces are preserved",
    arguments: [
      ("<button id=\"x\">Save</button>", "<button id=\"x\">Sichern</button>"),
      ("<p>\n  Save\n</p>", "<p>\n  Sichern\n</p>"),
      ("<p>Open\n the <a href=\"/t\">timeline</a>.</p>", "<p>Die <a href=\"/t\">Chronik</a> öffnen.</p>"),
      ("<p>One <b class=\"b\">two</b> <a href=\"/\">three</a></p>", "<p><a href=\"/\">3</a> <b class=\"b\">2</b> 1</p>"),
      // Adjacent elements, a single element, and an element around a block.
      (
        "<div><a href=\"/p\">Places</a>\n<a href=\"/r\">Regions</a></div>",
        "<div><a href=\"/p\">Orte</a>\n<a href=\"/r\">Gebiete</a></div>"
      ),
      ("<li><a href=\"/a\">Account</a></li>", "<li><a href=\"/a\">Konto</a></li>"),
      (
        "<a href=\"/\"><svg><title>Save</title></svg><span>Places</span></a>",
        "<a href=\"/\"><svg><title>Save</title></svg><span>Orte</span></a>"
      ),
      ("<label><input type=\"checkbox\" checked> Follow</label>", "<label><input type=\"checkbox\" checked> Folgen</label>"),
      ("<title>Settings – Godwit</title>", "<title>Einstellungen – Godwit</title>"),
      (
        "<input aria-label=\"Save\" title=\"Save\" value=\"Save\">",
        "<input aria-label=\"Sichern\" title=\"Sichern\" value=\"Save\">"
      ),
      // Texts without a translation, without letters, and with `translate="no"`.
      ("<p>Unknown <b>text</b></p>", "<p>Unknown <b>text</b></p>"),
      ("<p>– &nbsp; ‹</p>", "<p>– &nbsp; ‹</p>"),
      (
        "<option translate=\"no\">Save</option><option>Save</option>",
        "<option translate=\"no\">Save</option><option>Sichern</option>"
      ),
      (
        "<pre>Save</pre><!-- Save --><script>Save</script><code>Save</code>",
        "<pre>Save</pre><!-- Save --><script>Save</script><code>Save</code>"
      ),
      // Invalid markup is preserved.
      ("<p>Save</b></p>", "<p>Sichern</b></p>"), ("Save <", "Save <"), ("<p>Save", "<p>Sichern"),
    ])
  func replaced(_ page: String, _ expected: String) {
    #expect(PageMarkup { Self.texts[$0] }.replaced(page) == expected)
  }

  @Test("quotation marks in attribute texts are escaped")
  func quotes() {
    let found = PageMarkup { _ in "a\"b" }.replaced(#"<input placeholder="Save">"#)
    #expect(found == #"<input placeholder="a&quot;b">"#)
  }

  @Test("each table contains the texts of all pages", arguments: Preferences.Language.allCases.filter { $0 != .english })
  func complete(_ language: Preferences.Language) throws {
    let table = TranslatedPages.texts(of: try #require(Pages.files[TranslatedPages.path(of: language)]))
    var count = 0
    for (path, bytes) in Pages.files where path.hasSuffix(".html") {
      _ = PageMarkup { key in
        count += 1
        // Some attributes have no words, for example coordinates.
        #expect(table[key] != nil || !key.contains(where: \.isLetter), "\(path): \(key)")
        return nil
      }.replaced(String(decoding: bytes, as: UTF8.self))
    }
    #expect(count > 200)
  }

  @Test(
    "the language is the first available one that the browser accepts",
    arguments: [
      ("de-AT,de;q=0.9,en;q=0.8", Preferences.Language.german), ("en-GB,en;q=0.9,de;q=0.8", .english), ("sl", .slovenian),
      ("ja,fr;q=0.5,es;q=0.4", .french), ("es;q=0.1,fr;q=0", .spanish), ("ja", .english), ("", .english), ("*", .english),
      ("de;q=x", .english), (",;,;q=1", .english),
    ])
  func accepted(_ header: String, _ language: Preferences.Language) {
    #expect(PageView.language(acceptedBy: header) == language)
  }

  @Test("the language is that of the browser until the user chooses one")
  func chosen() async throws {
    try await AccountServer.with { server in
      let anna = try await server.session(of: server.user("anna"))
      let german = ["Accept-Language": "de-AT,de;q=0.9"]
      let page = server.send("GET", "/settings", as: anna, headers: german)
      #expect(
        page.text.contains(#"<html lang="de" data-units="metric">"#) && page.headers["vary"]?.contains("Accept-Language") == true)
      #expect(page.text.contains(#"<link rel="modulepreload" href="/texts-de.js">"#))
      #expect(server.send("GET", "/s/nothing", headers: german).text.contains(#"<html lang="de" data-units="metric">"#))
      #expect(
        server.send("PUT", "/api/v1/preferences", as: anna, body: #"{"language":"sl"}"#).object["language"] as? String == "sl")
      #expect(server.send("GET", "/settings", as: anna, headers: german).text.contains(#"<html lang="sl""#))
      // Pages of share links ignore the user's preferences.
      #expect(server.send("GET", "/s/nothing", as: anna, headers: german).text.contains(#"<html lang="de" data-units="metric">"#))
      #expect(server.send("PUT", "/api/v1/preferences", as: anna, body: "{}").object["language"] is NSNull)
      #expect(server.send("GET", "/settings", as: anna).text.contains(#"<html lang="en""#))
    }
  }
}
