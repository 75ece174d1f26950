/** Date and time in the zones of the IANA database. */

/** Date, time of day and offset in one zone. */
export interface ZonedTime {
  /** `2026-05-04` */
  date: string
  /** RFC 3339, such as `2026-05-04T17:30:00.123+05:30`. */
  time: string
}

/** Returns the time in a zone, or null if the zone is unknown. Names are case-insensitive. */
export type ZoneClock = (zone: string, now: Date) => ZonedTime | null

/** Names of zones, but not offsets such as `+02:00`, which newer runtimes would accept. */
const ZONE_NAME = /^[a-z][\w+-]*(?:\/[\w+-]+)*$/i
const MAX_NAME_LENGTH = 64

/** Creates a clock that caches the formatter of each zone, because creating one is slow. */
export function createZoneClock(): ZoneClock {
  // Bounded by the number of zones: only names that exist are cached, each in one spelling.
  const formatters = new Map<string, Intl.DateTimeFormat>()
  return (zone, now) => {
    const key = zone.toLowerCase()
    let formatter = formatters.get(key)
    if (formatter === undefined) {
      const created = makeFormatter(zone)
      if (created === null) return null
      formatters.set(key, created)
      formatter = created
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
  // `GMT+05:30`, or `GMT` if the offset is zero.
  const offset = part.timeZoneName!.slice(3) || '+00:00'
  return { date, time: `${date}T${part.hour}:${part.minute}:${part.second}.${part.fractionalSecond}${offset}` }
}
