/** Syslog messages: RFC 5424, RFC 3164, and what resembles them. */
import type { JsonObject } from 'svc/plugin'
import { excessOfJsonText, isRecord, setOwn } from 'svc/toolkit'
import { logOf, type LogOptions } from '../json/log-record.ts'
import { isoTime, type Report } from '../records/record.ts'

export const SYSLOG = 'syslog'

const SEVERITIES = ['emerg', 'alert', 'crit', 'err', 'warning', 'notice', 'info', 'debug']
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const BOM = '\ufeff'
const JSON_BOUNDS = { levels: 32, values: 5000 }

interface Header {
  severity: string | null
  timeMs: number | null
  service: string | null
  attributes: JsonObject
  message: string
}

export function logOfMessage(bytes: Buffer, renamed: LogOptions['renamed']): Report<'logs'> {
  const { severity, timeMs, service, attributes, message } = headerOf(bytes.toString().replace(/\r?\n?$/, ''))
  const fields = objectIn(message)
  const report = logOf({ ...attributes, ...fields }, { source: SYSLOG, renamed })
  const { record } = report
  record.severity = severity ?? record.severity
  record.service ??= service
  if (timeMs !== null) record.time = isoTime(timeMs)
  if (fields === null) record.body = message
  return report
}

function headerOf(text: string): Header {
  const [prefix, priority] = /^<(\d{1,3})>/.exec(text) ?? []
  if (prefix === undefined || Number(priority) > 191)
    return { severity: null, timeMs: null, service: null, attributes: {}, message: text }
  const severity = SEVERITIES[Number(priority) % 8]!
  const rest = text.slice(prefix.length)
  return { severity, ...(modern(rest) ?? older(rest)) }
}

/** RFC 5424, 6: `1 TIMESTAMP HOSTNAME APP-NAME PROCID MSGID STRUCTURED-DATA MSG`; a hyphen for what is absent. */
function modern(text: string): Omit<Header, 'severity'> | null {
  const [head, ...values] = /^1 (\S{1,40}) (\S{1,255}) (\S{1,48}) (\S{1,128}) (\S{1,32}) /.exec(text) ?? []
  if (head === undefined) return null
  const [time, host, app, process, id] = values.map(value => (value === '-' ? null : value!))
  const attributes: JsonObject = {}
  for (const [name, value] of [
    ['host', host],
    ['process_id', process],
    ['message_id', id],
  ] as const)
    if (value != null) attributes[name] = value
  const end = readStructuredData(text, head.length, attributes)
  const message = text.slice(end).replace(/^ /, '')
  const timeMs = time == null ? Number.NaN : Date.parse(time)
  return {
    timeMs: Number.isNaN(timeMs) ? null : timeMs,
    service: app ?? null,
    attributes,
    message: message.startsWith(BOM) ? message.slice(1) : message,
  }
}

/** Adds `id.name` for each parameter of structured data (6.3); returns where it ends. */
function readStructuredData(text: string, start: number, attributes: JsonObject): number {
  if (text[start] === '-') return start + 1
  let at = start
  while (text[at] === '[') {
    const element = /\[([^ =\]"]{1,32})/y
    element.lastIndex = at
    const [opening, id] = element.exec(text) ?? []
    if (opening === undefined) return start
    at += opening.length
    for (;;) {
      const parameter = / ([^ =\]"]{1,32})="((?:[^"\\\]]|\\.)*)"/y
      parameter.lastIndex = at
      const [whole, name, value] = parameter.exec(text) ?? []
      if (whole === undefined) break
      setOwn(attributes, `${id}.${name}`, value!.replace(/\\(["\\\]])/g, '$1'))
      at += whole.length
    }
    if (text[at] !== ']') return start
    at++
  }
  return at
}

/** RFC 3164, 4.1: `Mmm dd hh:mm:ss HOSTNAME TAG: MSG`, in local time, which is taken as UTC of this year. */
function older(text: string): Omit<Header, 'severity'> {
  const [head, month, day, clock] = /^([A-Z][a-z]{2}) ([ \d]\d) (\d\d:\d\d:\d\d) /.exec(text) ?? []
  const attributes: JsonObject = {}
  let rest = text
  let timeMs: number | null = null
  if (head !== undefined && MONTHS.includes(month!)) {
    timeMs = timeOfYear(MONTHS.indexOf(month!), Number(day), clock!)
    rest = text.slice(head.length)
    // Some senders leave the host out.
    const [hostAndSpace, host] = /^([^\s:[\]]{1,255}) (?=\S{1,48}(?:\[|:))/.exec(rest) ?? []
    if (hostAndSpace !== undefined) {
      attributes.host = host!
      rest = rest.slice(hostAndSpace.length)
    }
  }
  const [tag, app, process] = /^([\w./-]{1,48})(?:\[([^\]]{1,128})\])?: ?/.exec(rest) ?? []
  if (process !== undefined) attributes.process_id = process
  return { timeMs, service: app ?? null, attributes, message: tag === undefined ? rest : rest.slice(tag.length) }
}

/** The year is not in the message: the one in which it is nearest to now. */
function timeOfYear(month: number, day: number, clock: string): number | null {
  const now = Date.now()
  const year = new Date(now).getUTCFullYear()
  const times = [year - 1, year, year + 1].map(one =>
    Date.parse(`${one}-${String(month + 1).padStart(2, '0')}-${String(day).padStart(2, '0')}T${clock}Z`),
  )
  const valid = times.filter(time => !Number.isNaN(time))
  return valid.length === 0
    ? null
    : valid.reduce((nearest, time) => (Math.abs(time - now) < Math.abs(nearest - now) ? time : nearest))
}

function objectIn(message: string): JsonObject | null {
  // nginx and others write a prefix, such as `@cee:`.
  const text = message.replace(/^@cee: ?/, '').trimStart()
  if (!text.startsWith('{') || excessOfJsonText(text, JSON_BOUNDS) !== null) return null
  try {
    const value = JSON.parse(text) as unknown
    return isRecord(value) && !Array.isArray(value) ? (value as JsonObject) : null
  } catch {
    return null
  }
}
