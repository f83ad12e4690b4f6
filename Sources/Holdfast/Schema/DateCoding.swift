public import Foundation

/// Dates as RFC 3339 UTC text with nine fractional digits, `2026-01-31T12:00:00.000000000Z`:
/// proleptic Gregorian, years 0000–9999, so that text order is time order.
///
/// Civil-day arithmetic follows Howard Hinnant, “chrono-Compatible Low-Level Date Algorithms”.
/// Computed from `timeIntervalSinceReferenceDate`, rounded to the nearest nanosecond: every date
/// further than 97 days from 2001-01-01 comes back equal.
public enum DateCoding {
  /// The length of the text, in bytes.
  public static let length = 30
  private static let daysToReference: Int64 = 11_323  // 1970-01-01 to 2001-01-01
  private static let minimumSeconds: Int64 = -63_145_526_400  // 0000-01-01
  private static let maximumSeconds: Int64 = 252_423_993_599  // 9999-12-31T23:59:59

  /// The text of a date, or nil if its year is not within 0000–9999 or it is not finite.
  public static func encode(_ date: Date) -> String? {
    withUnsafeTemporaryAllocation(byteCount: length, alignment: 1) { buffer in
      encode(date, into: buffer)
        ? String(decoding: UnsafeRawBufferPointer(buffer), as: UTF8.self) : nil
    }
  }

  /// Writes the 30 bytes of a date's text; false if its year is not within 0000–9999.
  public static func encode(_ date: Date, into out: UnsafeMutableRawBufferPointer) -> Bool {
    let time = date.timeIntervalSinceReferenceDate
    guard time.isFinite, abs(time) < 1e12 else { return false }
    let floor = time.rounded(.down)
    var seconds = Int64(floor)
    var nanoseconds = Int64(((time - floor) * 1e9).rounded())
    if nanoseconds == 1_000_000_000 {
      nanoseconds = 0
      seconds += 1
    }
    guard seconds >= minimumSeconds, seconds <= maximumSeconds else { return false }
    let day = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
    let second = Int(seconds - day * 86_400)
    let (year, month, dayOfMonth) = civil(fromDays: day + daysToReference)
    write(year, 4, out, 0)
    out[4] = 0x2D
    write(month, 2, out, 5)
    out[7] = 0x2D
    write(dayOfMonth, 2, out, 8)
    out[10] = 0x54
    write(second / 3600, 2, out, 11)
    out[13] = 0x3A
    write(second / 60 % 60, 2, out, 14)
    out[16] = 0x3A
    write(second % 60, 2, out, 17)
    out[19] = 0x2E
    write(Int(nanoseconds), 9, out, 20)
    out[29] = 0x5A
    return true
  }

  /// The date of a stored text, or nil if it is not exactly in the stored form.
  public static func decode(_ text: String) -> Date? {
    var copy = text
    return copy.withUTF8 { decode(utf8: UnsafeRawBufferPointer($0)) }
  }

  /// The date of a stored text given as UTF-8, or nil if it is not exactly in the stored form.
  public static func decode(utf8 bytes: UnsafeRawBufferPointer) -> Date? {
    guard isStored(utf8: bytes), let text = bytes.baseAddress else { return nil }
    let year = pair(text, 0) * 100 + pair(text, 2)
    let days = days(fromCivil: year, pair(text, 5), pair(text, 8)) - daysToReference
    let time = pair(text, 11) * 3600 + pair(text, 14) * 60 + pair(text, 17)
    let seconds = days * 86_400 + Int64(time)
    let nanoseconds =
      ((pair(text, 20) * 100 + pair(text, 22)) * 10_000 + pair(text, 24) * 100 + pair(text, 26))
      * 10
      + digit(text, 28)
    return Date(
      timeIntervalSinceReferenceDate: Double(seconds) + Double(nanoseconds) / 1e9
    )
  }

  /// Whether UTF-8 is exactly a date in the stored form.
  ///
  /// Every row with a date comes through here: eight bytes are looked at in one step.
  static func isStored(utf8 bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count == length, let text = bytes.baseAddress else { return false }
    // Against "0000-00-00T00:00:00.000000000Z" digits are at most 9, and all else is 0.
    func difference(_ offset: Int, _ form: UInt64) -> UInt64 {
      UInt64(littleEndian: text.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) ^ form
    }
    let parts = (
      difference(0, 0x2D30_302D_3030_3030), difference(8, 0x3030_3A30_3054_3030),
      difference(16, 0x3030_3030_2E30_303A), difference(22, 0x5A30_3030_3030_3030)
    )
    func tooLarge(_ part: UInt64) -> UInt64 { (part &+ 0x7676_7676_7676_7676) | part }
    let digits = tooLarge(parts.0) | tooLarge(parts.1) | tooLarge(parts.2) | tooLarge(parts.3)
    let others =
      parts.0 & 0xFF00_00FF_0000_0000 | parts.1 & 0x0000_FF00_00FF_0000
      | parts.2 & 0x0000_0000_FF00_00FF | parts.3 & 0xFF00_0000_0000_0000
    guard digits & 0x8080_8080_8080_8080 == 0, others == 0 else { return false }
    let month = pair(text, 5)
    let day = pair(text, 8)
    guard month >= 1, month <= 12, day >= 1, pair(text, 11) < 24, pair(text, 14) < 60,
      pair(text, 17) < 60
    else { return false }
    return day <= 28 || day <= days(inMonth: month, year: pair(text, 0) * 100 + pair(text, 2))
  }

  /// The value of a digit.
  @inline(__always)
  private static func digit(_ text: UnsafeRawPointer, _ index: Int) -> Int {
    Int(text.load(fromByteOffset: index, as: UInt8.self) &- 0x30)
  }

  /// The value of two digits.
  @inline(__always)
  private static func pair(_ text: UnsafeRawPointer, _ index: Int) -> Int {
    digit(text, index) * 10 + digit(text, index + 1)
  }

  /// The stored text for a date as people write it: a date alone, or any RFC 3339 text (an offset,
  /// fewer or no fractional digits); nil if it is neither or not within the years.
  public static func canonical(_ text: String) -> String? {
    let bytes = Array(text.utf8)
    return bytes.withUnsafeBytes { raw -> String? in
      guard raw.count >= 10, raw[4] == 0x2D, raw[7] == 0x2D,
        let year = read(raw, 0, 4), let month = read(raw, 5, 2), let day = read(raw, 8, 2),
        month >= 1, month <= 12, day >= 1, day <= days(inMonth: month, year: year)
      else { return nil }
      var seconds = (days(fromCivil: year, month, day) - daysToReference) * 86_400
      var fraction: [UInt8] = []
      if raw.count > 10 {
        guard raw.count >= 20, raw[10] == 0x54 || raw[10] == 0x74 || raw[10] == 0x20,
          raw[13] == 0x3A, raw[16] == 0x3A, let hour = read(raw, 11, 2),
          let minute = read(raw, 14, 2), let second = read(raw, 17, 2),
          hour < 24, minute < 60, second < 60
        else { return nil }
        seconds += Int64(hour * 3600 + minute * 60 + second)
        var index = 19
        if raw[index] == 0x2E {
          index += 1
          while index < raw.count, raw[index] >= 0x30, raw[index] <= 0x39 {
            fraction.append(raw[index])
            index += 1
          }
          guard !fraction.isEmpty, fraction.count <= 9 else { return nil }
        }
        guard index < raw.count else { return nil }
        if raw[index] == 0x5A || raw[index] == 0x7A {
          guard index + 1 == raw.count else { return nil }
        } else {
          guard raw[index] == 0x2B || raw[index] == 0x2D, raw.count == index + 6,
            raw[index + 3] == 0x3A, let hours = read(raw, index + 1, 2),
            let minutes = read(raw, index + 4, 2), hours < 24, minutes < 60
          else { return nil }
          let offset = Int64(hours * 3600 + minutes * 60)
          seconds -= raw[index] == 0x2B ? offset : -offset
        }
      }
      guard seconds >= minimumSeconds, seconds <= maximumSeconds,
        let whole = encode(Date(timeIntervalSinceReferenceDate: Double(seconds)))
      else { return nil }
      let digits = String(decoding: fraction, as: UTF8.self)
      return whole.prefix(20) + digits + String(repeating: "0", count: 9 - fraction.count) + "Z"
    }
  }

  private static func civil(fromDays days: Int64) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthIndex = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthIndex + 2) / 5 + 1
    let month = monthIndex < 10 ? monthIndex + 3 : monthIndex - 9
    return (Int(yearOfEra + era * 400 + (month <= 2 ? 1 : 0)), Int(month), Int(day))
  }

  private static func days(fromCivil year: Int, _ month: Int, _ day: Int) -> Int64 {
    let shifted = Int64(month <= 2 ? year - 1 : year)
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let monthIndex = Int64((month + 9) % 12)
    let dayOfYear = (153 * monthIndex + 2) / 5 + Int64(day) - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  private static func days(inMonth month: Int, year: Int) -> Int {
    switch month {
    case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private static func write(
    _ value: Int,
    _ digits: Int,
    _ out: UnsafeMutableRawBufferPointer,
    _ start: Int
  ) {
    var rest = value
    for place in stride(from: start + digits - 1, through: start, by: -1) {
      out[place] = 0x30 + UInt8(rest % 10)
      rest /= 10
    }
  }

  private static func read(_ bytes: UnsafeRawBufferPointer, _ start: Int, _ digits: Int) -> Int? {
    var value = 0
    for index in start..<start + digits {
      let digit = bytes[index] &- 0x30
      guard digit < 10 else { return nil }
      value = value * 10 + Int(digit)
    }
    return value
  }
}
