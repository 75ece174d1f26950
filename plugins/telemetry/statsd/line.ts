/** Lines of StatsD and DogStatsD. */
import { randomUUID } from 'node:crypto'
import type { JsonObject } from 'svc/plugin'
import { setOwn } from 'svc/toolkit'
import { httpFactsOf } from '../records/http-facts.ts'
import { Rejected } from '../records/intake.ts'
import { namedSession, type MetricRecord, type Report } from '../records/record.ts'

export const STATSD = 'statsd'

const KINDS: Readonly<Record<string, MetricRecord['kind']>> = {
  c: 'counter',
  g: 'gauge',
  ms: 'timer',
  h: 'histogram',
  d: 'histogram',
  s: 'set',
}
const CHECKS = ['ok', 'warning', 'critical', 'unknown']
const MAX_VALUES = 100

export type StatsdReport = { kind: 'metrics'; report: Report<'metrics'> } | { kind: 'logs'; report: Report<'logs'> }

/** The records of a line: one for each value. Throws `Rejected`. */
export function reportsOf(line: string): StatsdReport[] {
  if (line.startsWith('_e{')) return [{ kind: 'logs', report: eventOf(line) }]
  if (line.startsWith('_sc|')) return [{ kind: 'logs', report: checkOf(line) }]
  const [head = '', type = '', ...options] = line.split('|')
  const colon = head.indexOf(':')
  const kind = KINDS[type]
  if (colon < 1 || kind === undefined) throw new Rejected('expected name:value|type')
  const name = head.slice(0, colon)
  const { rate, attributes } = optionsOf(options)
  const values = kind === 'set' ? [head.slice(colon + 1)] : head.slice(colon + 1).split(':', MAX_VALUES)
  return values.map(value => ({ kind: 'metrics', report: metricOf(name, kind, value, rate, attributes) }))
}

function metricOf(
  name: string,
  kind: MetricRecord['kind'],
  text: string,
  rate: number,
  attributes: JsonObject,
): Report<'metrics'> {
  const number = /^[+-]?\d{1,20}(?:\.\d{1,20})?(?:e[+-]?\d{1,3})?$/i.test(text) ? Number(text) : null
  if ((number === null && kind !== 'set') || text === '') throw new Rejected('expected a number as value')
  const isCounted = kind === 'counter' || kind === 'timer' || kind === 'histogram'
  const own = number === null ? { ...attributes, value: text } : attributes
  return {
    record: {
      id: randomUUID(),
      name,
      kind,
      unit: kind === 'timer' ? 'ms' : null,
      // A counter that is sampled stands for more.
      value: kind === 'counter' ? number! / rate : number,
      count: isCounted && kind !== 'counter' ? Math.round(1 / rate) : null,
      sum: null,
      attributes: own,
      service: serviceOf(attributes),
      source: STATSD,
      time: new Date().toISOString(),
      session: null,
    },
    named: namedSession(attributes),
  }
}

interface Options {
  rate: number
  attributes: JsonObject
  /** Fields of one letter, such as `h:` of events. */
  letters: Readonly<Record<string, string>>
}

function optionsOf(options: readonly string[]): Options {
  let rate = 1
  const attributes: JsonObject = {}
  const letters: Record<string, string> = {}
  for (const option of options) {
    if (option.startsWith('@')) {
      rate = Number(option.slice(1))
      if (!(rate > 0 && rate <= 1)) throw new Rejected('expected a rate above 0, up to 1')
    } else if (option.startsWith('#')) {
      for (const tag of option.slice(1).split(',')) {
        const colon = tag.indexOf(':')
        if (tag !== '')
          setOwn(attributes, colon === -1 ? tag : tag.slice(0, colon), colon === -1 ? true : tag.slice(colon + 1))
      }
    } else if (option[1] === ':') letters[option[0]!] = option.slice(2)
  }
  return { rate, attributes, letters }
}

/** `_e{<length of title>,<length of text>}:<title>|<text>|…` */
function eventOf(line: string): Report<'logs'> {
  const [head, titleLength, textLength] = /^_e\{(\d{1,5}),(\d{1,5})\}:/.exec(line) ?? []
  if (head === undefined) throw new Rejected('expected _e{length,length}:title|text')
  const bytes = Buffer.from(line.slice(head.length))
  const titleEnd = Number(titleLength)
  const textEnd = titleEnd + 1 + Number(textLength)
  if (bytes.length < textEnd || bytes[titleEnd] !== 0x7c) throw new Rejected('an event is shorter than it says')
  const { attributes, letters } = optionsOf(bytes.toString('utf8', textEnd).split('|').slice(1))
  attributes.title = bytes.toString('utf8', 0, titleEnd)
  return logFor(attributes, letters.t ?? 'info', bytes.toString('utf8', titleEnd + 1, textEnd), letters.d)
}

/** `_sc|<name>|<status>|…|m:<message>` */
function checkOf(line: string): Report<'logs'> {
  const [, name = '', state = '', ...options] = line.split('|')
  if (name === '' || !/^[0-3]$/.test(state)) throw new Rejected('expected _sc|name|status')
  const { attributes, letters } = optionsOf(options)
  attributes.check = name
  return logFor(attributes, CHECKS[Number(state)]!, letters.m ?? name, letters.d)
}

function logFor(attributes: JsonObject, severity: string, body: string, seconds: string | undefined): Report<'logs'> {
  const time = seconds !== undefined && /^\d{1,11}$/.test(seconds) ? Number(seconds) * 1000 : Date.now()
  return {
    record: {
      id: randomUUID(),
      time: new Date(time).toISOString(),
      source: STATSD,
      service: serviceOf(attributes),
      severity,
      body,
      attributes,
      trace_id: null,
      ...httpFactsOf({}, new Map()),
      session: null,
    },
    named: namedSession(attributes),
  }
}

function serviceOf({ service }: JsonObject): string | null {
  return typeof service === 'string' ? service : null
}
