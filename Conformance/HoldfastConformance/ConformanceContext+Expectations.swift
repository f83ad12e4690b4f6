public import Holdfast

extension ConformanceContext {
  /// Expects two things to be the same, as they print.
  ///
  /// Values are compared by kind and bits through ``ExactText``, not by the library's own equality.
  public func expect<T: ExactlyPrintable>(
    _ got: T,
    _ expected: T,
    _ what: @autoclosure () -> String = ""
  ) {
    let gotText = got.exactText
    let expectedText = expected.exactText
    if gotText.utf8.elementsEqual(expectedText.utf8) { return }
    let what = what()
    fail(
      "\(what.isEmpty ? "" : what + ": ")expected \(clipped(expectedText)), got \(clipped(gotText))"
    )
  }

  /// Expects something to hold.
  public func expect(that condition: Bool, _ what: @autoclosure () -> String) {
    if !condition { fail(what()) }
  }

  /// Expects a body to throw a storage error of one code, and checks the error's form.
  public func expectError(
    _ code: StorageError.Code,
    _ what: @autoclosure () -> String = "",
    _ body: () throws -> Void
  ) {
    do {
      try body()
      report(nil, code, what())
    } catch {
      report(error, code, what())
    }
  }

  /// Expects an asynchronous body to throw a storage error of one code.
  public func expectError(
    _ code: StorageError.Code,
    _ what: @autoclosure () -> String = "",
    _ body: () async throws -> Void
  ) async {
    do {
      try await body()
      report(nil, code, what())
    } catch {
      report(error, code, what())
    }
  }

  private func report(_ error: (any Error)?, _ code: StorageError.Code, _ what: String) {
    let prefix = what.isEmpty ? "" : what + ": "
    guard let error else {
      fail("\(prefix)expected the error \(code), got none")
      return
    }
    guard let error = error as? StorageError else {
      fail("\(prefix)expected the error \(code), got \(type(of: error)): \(error)")
      return
    }
    if error.code != code {
      fail("\(prefix)expected the error \(code), got \(error.code): \(error)")
    }
    if error.message.isEmpty || error.description.contains(where: \.isNewline) {
      fail("\(prefix)the message of the error \(error.code) must be one line")
    }
  }

  private func clipped(_ text: String) -> String {
    text.count <= 400 ? text : "\(text.prefix(400))… (\(text.count) characters)"
  }
}
