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
    guard bytes.count == length, let start = bytes.baseAddress else { return nil }
    let text = start.assumingMemoryBound(to: UInt8.self)
    guard text[4] == 0x2D, text[7] == 0x2D, text[10] == 0x54, text[13] == 0x3A, text[16] == 0x3A,
      text[19] == 0x2E, text[29] == 0x5A
    else { return nil }
    // Every row with a date comes through here: two digits at a time, with one test at the end.
    var wrong = false
    func pair(_ index: Int) -> Int {
      let tens = text[index] &- 0x30
      let ones = text[index + 1] &- 0x30
      wrong = wrong || tens > 9 || ones > 9
      return Int(tens) * 10 + Int(ones)
    }
    let year = pair(0) * 100 + pair(2)
    let month = pair(5)
    let day = pair(8)
    let hour = pair(11)
    let minute = pair(14)
    let second = pair(17)
    let last = text[28] &- 0x30
    let nanoseconds =
      ((pair(20) * 100 + pair(22)) * 10_000 + pair(24) * 100 + pair(26)) * 10 + Int(last)
    guard !wrong, last <= 9, month >= 1, month <= 12, day >= 1,
      day <= days(inMonth: month, year: year), hour < 24, minute < 60, second < 60
    else { return nil }
    let days = days(fromCivil: year, month, day) - daysToReference
    let seconds = days * 86_400 + Int64(hour * 3600 + minute * 60 + second)
    return Date(
      timeIntervalSinceReferenceDate: Double(seconds) + Double(nanoseconds) / 1e9
    )
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
