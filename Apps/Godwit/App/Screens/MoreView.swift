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
        PlacesLinks(model: model)
        NavigationLink {
          AboutView(model: model.about)
        } label: {
          Label(model.about.title, systemImage: "info.circle")
        }
      }
      .navigationTitle(model.tabs.more)
    }
  }
}

private struct PlacesLinks: View {
  let model: AppModel

  var body: some View {
    NavigationLink {
      WifiZonesView(model: model.wifiZones)
    } label: {
      Label(model.wifiZones.title, systemImage: "wifi")
    }
    NavigationLink {
      RegionsView(model: model.regions)
    } label: {
      Label(model.regions.title, systemImage: "mappin.circle")
    }
    NavigationLink {
      CoverageView(model: model.coverage)
    } label: {
      Label(model.coverage.title, systemImage: "chart.bar.xaxis")
    }
  }
}
