/** Parses the date of a request. */

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const IMF_FIXDATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (\d\d) ([A-Z][a-z]{2}) (\d{4}) (\d\d):(\d\d):(\d\d) (?:GMT|([+-])(\d\d)(\d\d))$/

/**
 * Milliseconds since 1970 of an IMF-fixdate (RFC 9110, 5.6.7), also with a numeric zone (RFC 5322, 3.3); null for other
 * texts.
 */
export function parseHttpDate(text: string): number | null {
  const match = IMF_FIXDATE.exec(text)
  if (match === null) return null
  const [day, year, hour, minute, second] = [match[1], match[3], match[4], match[5], match[6]].map(Number) as [
    number,
    number,
    number,
    number,
    number,
  ]
  const month = MONTHS.indexOf(match[2]!)
  // A leap second (60) counts as the first second of the next minute.
  if (month === -1 || hour > 23 || minute > 59 || second > 60) return null
  const midnight = new Date(Date.UTC(year, month, day))
  if (midnight.getUTCDate() !== day) return null
  const offsetMinutes =
    match[7] === undefined ? 0 : (match[7] === '-' ? -1 : 1) * (Number(match[8]) * 60 + Number(match[9]))
  return midnight.getTime() + ((hour * 60 + minute - offsetMinutes) * 60 + second) * 1000
}
