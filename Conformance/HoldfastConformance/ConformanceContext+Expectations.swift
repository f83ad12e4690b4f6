public import Holdfast

extension ConformanceContext {
  /// Expects two things to be the same, as they print.
  ///
  /// Values are compared by kind and bits through ``ExactText``, not by the library's own equality.
  public func expect<T: ExactlyPrintable>(
    _ got: T,
    _ expected: T,
    _ what: @autoclosure () -> String = "",
    fileID: String = #fileID,
    line: Int = #line
  ) {
    let gotText = got.exactText
    let expectedText = expected.exactText
    let isRight = gotText.utf8.elementsEqual(expectedText.utf8)
    checked(isRight, fileID, line)
    if isRight { return }
    let difference = TextDifference(expected: expectedText, got: gotText)
    fail(
      what(),
      expected: difference.expected,
      got: difference.got,
      fileID: fileID,
      line: line
    )
  }

  /// Expects something to hold.
  public func expect(
    that condition: Bool,
    _ what: @autoclosure () -> String,
    fileID: String = #fileID,
    line: Int = #line
  ) {
    checked(condition, fileID, line)
    if !condition { fail(what(), fileID: fileID, line: line) }
  }

  /// Expects a body to throw a storage error of one code, and checks the error's form.
  public func expectError(
    _ code: StorageError.Code,
    _ what: @autoclosure () -> String = "",
    fileID: String = #fileID,
    line: Int = #line,
    _ body: () throws -> Void
  ) {
    do {
      try body()
      report(nil, code, what, fileID, line)
    } catch {
      report(error, code, what, fileID, line)
    }
  }

  /// Expects an asynchronous body to throw a storage error of one code.
  public func expectError(
    _ code: StorageError.Code,
    _ what: @autoclosure () -> String = "",
    fileID: String = #fileID,
    line: Int = #line,
    _ body: () async throws -> Void
  ) async {
    do {
      try await body()
      report(nil, code, what, fileID, line)
    } catch {
      report(error, code, what, fileID, line)
    }
  }

  private func report(
    _ error: (any Error)?,
    _ code: StorageError.Code,
    _ what: () -> String,
    _ fileID: String,
    _ line: Int
  ) {
    let got: String?
    switch error {
    case nil: got = "no error"
    case let error as StorageError where error.code == code:
      let isOneLine = !error.message.isEmpty && !error.description.contains(where: \.isNewline)
      got = isOneLine ? nil : "\(error.code) with a message that is empty or not one line"
    case let error as StorageError: got = "the error \(error.code): \(error)"
    case let error?: got = "\(type(of: error)): \(error)"
    }
    checked(got == nil, fileID, line)
    if let got { fail(what(), expected: "the error \(code)", got: got, fileID: fileID, line: line) }
  }
}
