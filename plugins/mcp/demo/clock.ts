/** Owns the time in a time zone, as the tool returns it. */

export interface ZonedTime {
  /** RFC 3339 with the zone's offset. */
  iso: string
  /** Seconds since 1970. */
  unix: number
  /** `+05:30`, in UTC `+00:00`. */
  utcOffset: string
}

/** The time at `now` (milliseconds since 1970) in an IANA time zone; null if the zone is unknown. */
export function timeIn(timezone: string, now: number): ZonedTime | null {
  const offset = offsetOf(timezone, now)
  if (offset === null) return null
  const sign = offset.startsWith('-') ? -1 : 1
  const minutes = sign * (Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4, 6)))
  const local = new Date(now + minutes * 60_000).toISOString().slice(0, 19)
  return { iso: `${local}${offset}`, unix: Math.floor(now / 1000), utcOffset: offset }
}

function offsetOf(timezone: string, now: number): string | null {
  try {
    const parts = new Intl.DateTimeFormat('en-US', { timeZone: timezone, timeZoneName: 'longOffset' }).formatToParts(
      now,
    )
    const name = parts.find(part => part.type === 'timeZoneName')?.value ?? 'GMT'
    return name === 'GMT' ? '+00:00' : name.slice(3, 9)
  } catch {
    return null
  }
}
