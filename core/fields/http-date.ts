/** Parses HTTP dates. */

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const MONTH = `(?<month>${MONTHS.join('|')})`
const TIME = '(?<hour>\\d\\d):(?<minute>\\d\\d):(?<second>\\d\\d)'
const DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)'
const LONG_DAY = '(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)'

const FORMS = [
  // Sun, 06 Nov 1994 08:49:37 GMT
  new RegExp(`^${DAY}, (?<day>\\d\\d) ${MONTH} (?<year>\\d{4}) ${TIME} GMT$`),
  // Sunday, 06-Nov-94 08:49:37 GMT
  new RegExp(`^${LONG_DAY}, (?<day>\\d\\d)-${MONTH}-(?<year>\\d\\d) ${TIME} GMT$`),
  // Sun Nov  6 08:49:37 1994
  new RegExp(`^${DAY} ${MONTH} (?<day>[ \\d]\\d) ${TIME} (?<year>\\d{4})$`),
]

/**
 * Parses a date in one of the three HTTP formats (IMF-fixdate, RFC 850, asctime; RFC 9110, 5.6.7) to whole seconds since
 * the epoch. Returns null if the format or the date is invalid. `now` (milliseconds) determines the century of
 * two-digit years.
 */
export function parseHttpDate(text: string, now: number = Date.now()): number | null {
  for (const form of FORMS) {
    const groups = form.exec(text.trim())?.groups
    if (groups !== undefined) return toSeconds(groups, now)
  }
  return null
}

function toSeconds(groups: Record<string, string>, now: number): number | null {
  const [day, hour, minute, second] = [groups.day, groups.hour, groups.minute, groups.second].map(Number) as [
    number,
    number,
    number,
    number,
  ]
  const month = MONTHS.indexOf(groups.month!)
  const year = groups.year!.length === 2 ? fullYear(Number(groups.year), now) : Number(groups.year)
  // A leap second counts as the last second of its minute.
  const date = new Date(Date.UTC(year, month, day, hour, minute, Math.min(second, 59)))
  if (year < 100) date.setUTCFullYear(year)
  const isReal = date.getUTCDate() === day && hour < 24 && minute < 60 && second <= 60
  return isReal ? date.getTime() / 1000 : null
}

/** A two-digit year more than 50 years in the future is in the previous century (RFC 9110, 5.6.7). */
function fullYear(lastDigits: number, now: number): number {
  const thisYear = new Date(now).getUTCFullYear()
  const year = thisYear - (thisYear % 100) + lastDigits
  return year > thisYear + 50 ? year - 100 : year
}
