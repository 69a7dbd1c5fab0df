import AVFoundation
import GodwitApp
import SwiftUI
import Vision
import VisionKit

/// The camera, which reports the texts of QR codes.
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
        // A phone without a camera that can read codes is one whose camera may not be used: the link is typed.
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
