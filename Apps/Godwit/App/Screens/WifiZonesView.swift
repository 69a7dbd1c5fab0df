import GodwitApp
import MapKit
import SwiftUI

/// The wifi networks whose fixed place replaces the receiver's position.
struct WifiZonesView: View {
  @Bindable var model: WifiZonesModel

  var body: some View {
    List {
      Section {
        ZonesMap(model: model)
        ForEach(model.rows) { WifiZoneRowView(model: model, zone: $0) }
        if let empty = model.emptyText { Text(empty).foregroundStyle(.secondary) }
      } footer: {
        Text(model.explanation)
      }
      if let problem = model.problem { Label(problem, systemImage: "exclamationmark.triangle.fill") }
      Section {
        Button(model.addHereLabel, systemImage: "wifi") { model.addHere() }
          .disabled(!model.canAddHere)
        if let note = model.addHereText { Text(note).font(.footnote).foregroundStyle(.secondary) }
        Button(model.addLabel, systemImage: "plus") { model.add() }
      }
    }
    .navigationTitle(model.title)
    .sheet(item: $model.form) { WifiZoneFormView(model: model, form: $0) }
  }
}

/// The zones of the rows, as markers.
private struct ZonesMap: View {
  let model: WifiZonesModel

  var body: some View {
    Map {
      ForEach(model.rows) { Marker($0.name, systemImage: "wifi", coordinate: $0.coordinate) }
    }
    .aspectRatio(contentMode: .fit)
    .accessibilityHidden(true)
  }
}

private struct WifiZoneRowView: View {
  let model: WifiZonesModel
  let zone: WifiZoneRow

  var body: some View {
    Button {
      model.edit(zone.id)
    } label: {
      HStack {
        VStack(alignment: .leading) {
          Text(zone.name)
          Text(zone.placeText).font(.footnote).foregroundStyle(.secondary)
        }
        Spacer()
        if zone.isCurrent { Image(systemName: "wifi").foregroundStyle(.tint) }
      }
    }
    .foregroundStyle(.primary)
    .accessibilityElement(children: .ignore)
    .accessibilityLabel(zone.accessibilityLabel)
    .accessibilityAddTraits(.isButton)
    .swipeActions {
      Button(model.removeLabel, role: .destructive) { model.remove(zone.id) }
    }
  }
}

private struct WifiZoneFormView: View {
  let model: WifiZonesModel
  @Bindable var form: WifiZoneForm

  var body: some View {
    NavigationStack {
      Form {
        TextField(form.nameLabel, text: $form.name)
          .autocorrectionDisabled()
        TextField(form.latitudeLabel, text: $form.latitude)
        TextField(form.longitudeLabel, text: $form.longitude)
        ZoneMap(form: form)
        if let problem = form.problem { Label(problem, systemImage: "exclamationmark.triangle.fill") }
      }
      .navigationTitle(form.title)
      .toolbar {
        ToolbarItem(placement: .cancellationAction) { Button(model.cancelLabel, role: .cancel) { model.form = nil } }
        ToolbarItem(placement: .confirmationAction) {
          Button(model.saveLabel) { model.saveForm() }
            .disabled(!form.canSave)
        }
      }
    }
  }
}

/// A tap sets the place. With VoiceOver the numbers are typed.
private struct ZoneMap: View {
  let form: WifiZoneForm

  var body: some View {
    MapReader { map in
      Map {
        if let place = form.mapPlace { Marker(form.name, systemImage: "wifi", coordinate: place.coordinate) }
      }
      .onTapGesture { point in form.place(at: map.convert(point, from: .local)) }
    }
    .aspectRatio(contentMode: .fit)
    .accessibilityHidden(true)
  }
}
