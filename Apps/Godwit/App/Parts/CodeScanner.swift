import AVFoundation
import GodwitApp
import SwiftUI
import Vision
import VisionKit

/// The camera view, which passes the text of each QR code to the model.
struct CodeScanner: UIViewControllerRepresentable {
  let model: PairingModel

  func makeCoordinator() -> Coordinator { Coordinator(model: model) }

  func makeUIViewController(context: Context) -> DataScannerViewController {
    let scanner = DataScannerViewController(recognizedDataTypes: [.barcode(symbologies: [.qr])], isHighlightingEnabled: true)
    scanner.delegate = context.coordinator
    context.coordinator.start(scanner)
    return scanner
  }

  func updateUIViewController(_ scanner: DataScannerViewController, context: Context) {}

  @MainActor
  final class Coordinator: DataScannerViewControllerDelegate {
    private let model: PairingModel

    init(model: PairingModel) { self.model = model }

    func start(_ scanner: DataScannerViewController) {
      Task {
        let isAllowed = await AVCaptureDevice.requestAccess(for: .video)
        guard isAllowed else { return model.cameraDenied() }
        // A phone that cannot scan codes is treated like a denied camera: the user types the link.
        do { try scanner.startScanning() } catch { model.cameraDenied() }
      }
    }

    func dataScanner(
      _ dataScanner: DataScannerViewController, didAdd addedItems: [RecognizedItem], allItems: [RecognizedItem]
    ) {
      addedItems.forEach(report)
    }

    func dataScanner(
      _ dataScanner: DataScannerViewController, becameUnavailableWithError error: DataScannerViewController.ScanningUnavailable
    ) {
      model.cameraDenied()
    }

    private func report(_ item: RecognizedItem) {
      switch item {
      case .barcode(let code): if let text = code.payloadStringValue { model.scanned(text) }
      default: break
      }
    }
  }
}
