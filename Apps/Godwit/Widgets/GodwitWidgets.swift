import SwiftUI
import WidgetKit

@main
struct GodwitWidgets: WidgetBundle {
  var body: some Widget {
    StatusWidget()
    TripWidget()
  }
}
