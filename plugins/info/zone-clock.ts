/** Owns date and time in the zones of the IANA database. */

/** Date, time of day and offset in one zone. */
export interface ZonedTime {
  /** `2026-05-04` */
  date: string
  /** RFC 3339, such as `2026-05-04T17:30:00.123+05:30`. */
  time: string
}

/** Tells the time in a zone; null when there is no zone of that name. Names count in any case. */
export type ZoneClock = (zone: string, now: Date) => ZonedTime | null

/** Names of the database. What is an offset (`+02:00`) is not: newer runtimes would take it. */
const ZONE_NAME = /^[a-z][\w+-]*(?:\/[\w+-]+)*$/i
const MAX_NAME_LENGTH = 64

/** A clock that keeps the formatter of each zone: making one takes longer than everything else. */
export function createZoneClock(): ZoneClock {
  // Bounded by the database: only names that exist get in, in one spelling each.
  const formatters = new Map<string, Intl.DateTimeFormat>()
  return (zone, now) => {
    const key = zone.toLowerCase()
    let formatter = formatters.get(key)
    if (formatter === undefined) {
      const made = makeFormatter(zone)
      if (made === null) return null
      formatters.set(key, made)
      formatter = made
    }
    return readTime(formatter, now)
  }
}

function makeFormatter(timeZone: string): Intl.DateTimeFormat | null {
  if (timeZone.length > MAX_NAME_LENGTH || !ZONE_NAME.test(timeZone)) return null
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      fractionalSecondDigits: 3,
      timeZoneName: 'longOffset',
    })
  } catch {
    return null
  }
}

function readTime(formatter: Intl.DateTimeFormat, now: Date): ZonedTime {
  const part = Object.fromEntries(formatter.formatToParts(now).map(({ type, value }) => [type, value])) as Record<
    string,
    string
  >
  const date = `${part.year}-${part.month}-${part.day}`
  // `GMT+05:30`, or `GMT` alone where there is no offset.
  const offset = part.timeZoneName!.slice(3) || '+00:00'
  return { date, time: `${date}T${part.hour}:${part.minute}:${part.second}.${part.fractionalSecond}${offset}` }
}
