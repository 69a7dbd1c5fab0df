import Foundation

extension TripAttributes.ContentState {
  var model: TripWidgetModel {
    TripWidgetModel(label: label, symbol: symbol, start: start, distance: distance, languages: Locale.preferredLanguages)
  }
}
