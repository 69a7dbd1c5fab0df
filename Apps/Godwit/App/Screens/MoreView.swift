import GodwitApp
import SwiftUI

/// The screens that have no tab.
struct MoreView: View {
  let model: AppModel

  var body: some View {
    NavigationStack {
      List {
        NavigationLink {
          ServersList(model: model.servers, pairing: model.pairing)
        } label: {
          Label(model.servers.title, systemImage: "server.rack")
        }
        NavigationLink {
          SettingsList(model: model.tripSettings)
        } label: {
          Label(model.tripSettings.title, systemImage: "slider.horizontal.3")
        }
      }
      .navigationTitle(model.tabs.more)
    }
  }
}
