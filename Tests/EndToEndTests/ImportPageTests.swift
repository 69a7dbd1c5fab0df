import Foundation
import TestParts
import Testing

@Suite(
  "The import page in a browser", .serialized,
  .enabled(if: TestPart.browser.isRun, "\(TestPart.browser.reason)"))
struct ImportPageTests {
  @Test("imports files for a new device, reports skipped parts, and exports them again", .timeLimit(.minutes(20)))
  func files() async throws {
    let server = try await RunningServer()
    var text = "time,lat,lon\n"
    for index in 0..<2000 { text += "\(1_700_000_000 + index * 60),\(index % 100 == 7 ? 95 : 46).0\(index),14.5\n" }
    let walk = server.folder.path("walk.csv")
    let picture = server.folder.path("picture.png")
    try text.write(toFile: walk, atomically: true, encoding: .utf8)
    try "a picture".write(toFile: picture, atomically: true, encoding: .utf8)

    let browser = try await Chromium()
    try await server.login(browser)
    try await browser.visit("http://127.0.0.1:\(server.port)/import")
    try await browser.wait("document.body.dataset.state === 'ready'")
    #expect(try await browser.value("document.getElementById('none').hidden", as: Bool.self) == false)
    // Selects a new device and enters its name with the keyboard.
    try await browser.run(
      """
      const device = document.querySelector('#in [name=device]');
      device.focus();
      device.selectedIndex = device.options.length - 1;
      device.dispatchEvent(new Event('change'));
      """)
    try await browser.choose([picture], in: "#files")
    try await browser.wait("document.getElementById('problem').textContent.includes('Choose a device')")
    #expect(try await browser.value("document.activeElement.name", as: String.self) == "name")
    try await browser.type("hiker")
    try await browser.press("Tab")
    try await browser.choose([walk, picture], in: "#files")
    try await browser.wait("document.querySelectorAll('#jobs [data-state=done]').length === 1", seconds: 60)
    try await browser.wait("document.querySelectorAll('#jobs [data-state=failed]').length === 1", seconds: 60)
    let done: String = try await browser.value("document.querySelector('#jobs [data-state=done]').innerText")
    #expect(done.contains("See it on the map, as a timeline or in statistics."), "\(done)")
    #expect(done.contains("walk.csv") && done.contains("CSV, 1,980\u{00A0}new points, 20\u{00A0}items skipped"), "\(done)")
    // The question about the time zone is above the report.
    try await browser.wait("document.querySelector('.zone-question select')?.value === 'Europe/Ljubljana'")
    try await browser.click("#jobs [data-state=done] summary")
    try await browser.wait("document.querySelector('#jobs [data-state=done]').innerText.includes('20 × latitude #')")
    let failed: String = try await browser.value("document.querySelector('#jobs [data-state=failed]').innerText")
    #expect(failed.contains("picture.png: it begins with \"a picture\""), "\(failed)")

    let chosen: String = try await browser.value("document.querySelector('#in [name=device]').value")
    #expect(chosen == "hiker")
    let link: String = try await browser.value(
      """
      (() => {
        const form = document.getElementById('out');
        form.elements.device.value = 'hiker';
        form.elements.format.value = 'csv';
        return form.action + '?' + new URLSearchParams(new FormData(form));
      })()
      """)
    #expect(link.hasSuffix("/api/v1/export?device=hiker&format=csv"), "\(link)")
    let lines: Int = try await browser.value(
      "fetch(\(Self.quoted(link))).then((answer) => answer.text()).then((text) => text.trim().split('\\n').length)")
    #expect(lines == 1981)
    // The new device gets the time zone of its points.
    try await browser.wait("document.querySelector('.zone-question select')?.value === 'Europe/Ljubljana'")
    try await browser.click(".zone-question button")
    try await browser.wait("!document.querySelector('.zone-question select')")
    let zone: String = try await browser.value(
      "fetch('/api/v1/devices/hiker/time-zone').then((answer) => answer.json()).then(({ time_zone }) => time_zone)")
    #expect(zone == "Europe/Ljubljana")
    // The days of an export are those of the device.
    let query: String = try await browser.value(
      """
      (() => {
        const form = document.getElementById('out');
        form.elements.from.value = '2026-05-04';
        const query = new URLSearchParams(new FormData(form));
        form.elements.from.value = '';
        return query.get('from') + ' ' + query.get('to');
      })()
      """)
    #expect(query == "2026-05-03T22:00:00.000Z null", "\(query)")
    // The import is undone as a whole, and the undo is undone.
    let points =
      "fetch('/api/v1/points?device=hiker&limit=10').then((answer) => answer.json()).then(({ features }) => features.length)"
    try await browser.click("#jobs [data-state=done] button.danger")
    try await browser.wait("document.querySelector('dialog')?.innerText.includes('1,980\\u00a0points')")
    try await browser.click("dialog .buttons button.main")
    try await browser.wait("document.querySelector('.undo-notice')")
    #expect(try await browser.value(points, as: Int.self) == 0)
    try await browser.click(".undo-notice button")
    try await browser.wait("!document.querySelector('.undo-notice')")
    #expect(try await browser.value(points, as: Int.self) == 10)
    // A button that the keyboard can reach removes a finished import from the list.
    try await browser.run("document.querySelector('#jobs [data-state=failed] button').focus()")
    try await browser.press("Enter")
    try await browser.wait("document.querySelectorAll('#jobs > li').length === 1")
    for width in [360, 1200] {
      try await browser.resize(width: width, height: 800)
      let isWide: Bool = try await browser.value("document.documentElement.scrollWidth > innerWidth")
      #expect(!isWide, "the page is wider than \(width) px")
    }
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }

  @Test("files that another app shared are imported when the form is complete", .timeLimit(.minutes(20)))
  func sharedFiles() async throws {
    let server = try await RunningServer()
    let browser = try await Chromium()
    try await server.login(browser)
    try await browser.visit("http://127.0.0.1:\(server.port)/import")
    try await browser.wait("document.body.dataset.state === 'ready'")
    let count = "caches.open('shared-1').then((cache) => cache.keys()).then((keys) => keys.length)"
    let put: Int = try await browser.value(
      """
      caches.open('shared-1').then(async (cache) => {
        const headers = { 'Content-Type': 'text/csv', 'X-Name': 'walk.csv' };
        await cache.put('/import/shared/1-0', new Response('time,lat,lon\\n1700000000,46,14.5\\n', { headers }));
        return (await cache.keys()).length;
      })
      """)
    #expect(put == 1)
    // Without a device, a name is needed.
    let delete = "fetch('/api/v1/devices/walker', { method: 'DELETE' }).then(({ ok }) => ok)"
    #expect(try await browser.value(delete, as: Bool.self))
    try await browser.reload()
    try await browser.wait("document.getElementById('problem').textContent.includes('Choose a device')")
    #expect(try await browser.value(count, as: Int.self) == 1)
    try await browser.type("hiker")
    try await browser.press("Tab")
    try await browser.wait("document.querySelectorAll('#jobs [data-state=done]').length === 1", seconds: 60)
    #expect(try await browser.value(count, as: Int.self) == 0)
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }

  private static func quoted(_ text: String) -> String { "'\(text)'" }
}
