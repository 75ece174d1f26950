/**
 * Judges of recorded evidence with one byte, field or time changed; the tables are in `evidence/`. The evidence is that of the
 * reference proxy.
 */
import { readFileSync, readdirSync } from 'node:fs'
import t from 'tap'
import { launch } from '../../core/testing/launch.ts'
import type { Facts, VerdictWord } from '../../plugins/probe/catalog/check.ts'
import { ArrivalView, Call, Evidence, sha256 } from '../../plugins/probe/client/evidence.ts'
import type { CheckResult } from '../../plugins/probe/client/check-result.ts'
import type { Response } from '../../plugins/probe/client/response-parser.ts'
import { NO_ROUTES } from '../../plugins/probe/client/routes.ts'
import { modelSettingsOf } from '../../plugins/probe/client/run-facts.ts'
import type { ArrivalRecord } from '../../plugins/probe/upstream/arrival-record.ts'
import { startProxy } from './proxies/reference-proxy.ts'
import { checksNamed, probeThrough } from './probe-through.ts'

interface Row {
  check: string
  kind: 'bad' | 'borderline'
  /** Label of the call that is changed; default: the first. */
  call?: string
  /** Replaces a text in what arrived. */
  arrived?: [from: string, to: string]
  /** What arrived, where nothing did; `{path}` is the target that was sent. */
  arrivedText?: string
  arrivals?: number
  /** All requests arrived in this version. */
  upstream?: '2'
  /** It arrived at another upstream. */
  instance?: string
  bodySha256?: string
  status?: number
  /** Fields of the response; null removes one. */
  fields?: Record<string, string | null>
  body?: [from: string, to: string]
  interims?: number
  complete?: boolean
  ended?: 'fin' | 'reset' | null
  /** The response came this much later. */
  laterMs?: number
  verdict: VerdictWord
}

const FOLDER = 'test/probe/evidence'
const ROWS = readdirSync(FOLDER).flatMap(name => JSON.parse(readFileSync(`${FOLDER}/${name}`, 'utf8')) as Row[])
const FACTS: Facts = {
  gateway: { origin: 'http://gateway', authority: 'gateway', host: 'gateway' },
  directOrigin: 'http://gateway',
  arrivedOrigin: null,
  mcp: null,
  graph: null,
  graphs: NO_ROUTES.graphs,
  upstreamOrigins: ['http://upstream'],
  reuses: null,
  viaPseudonym: 'reference',
  hasCredentials: false,
  hasOwnLlmCredential: false,
  asksForCertificates: false,
  realtimeModel: 'gpt-realtime',
  hiddenTools: [],
  mcpToken: null,
  pairs: [],
  models: modelSettingsOf(NO_ROUTES),
  routes: new Set<string>(),
  tokens: {},
  timeoutMs: 10_000,
  isSlow: false,
  protocol: '1.1',
  clientProtocols: ['1.1'],
}

function replaced(text: string, [from, to]: [string, string]): string {
  if (!text.includes(from)) throw new Error(`nothing to replace: ${from} in ${text.slice(0, 500)}`)
  return text.replace(from, to)
}

/** How much longer the head is, if that is what is changed. */
function headGrowth({ bytes, head_size: size }: ArrivalRecord, { arrived }: Row): number {
  if (arrived === undefined || bytes.indexOf(arrived[0]) >= size) return 0
  return arrived[1].length - arrived[0].length
}

function changedRecord(record: ArrivalRecord, row: Row): ArrivalRecord {
  const text = row.arrived === undefined ? record.bytes : replaced(record.bytes, row.arrived)
  return {
    ...record,
    bytes: text,
    head_size: record.head_size + headGrowth(record, row),
    ...(row.instance === undefined ? {} : { instance: row.instance }),
    ...(row.bodySha256 === undefined ? {} : { body_sha256: row.bodySha256 }),
  }
}

function arrivedAs(text: string, call: Call): ArrivalRecord {
  const path = / (\S*)/.exec(call.record.sent.toString('latin1'))?.[1] ?? ''
  const bytes = text.replace('{path}', path)
  const headSize = bytes.search(/\r?\n\r?\n/) + (bytes.includes('\r\n\r\n') ? 4 : 2)
  const body = bytes.slice(headSize)
  return {
    number: 1,
    instance: '',
    step: String(call.record.step),
    connection: 1,
    request_on_connection: 1,
    listener: 'http',
    peer: '',
    tls: null,
    protocol: '1.1',
    bytes,
    size: bytes.length,
    truncated: false,
    sha256: sha256(bytes),
    head_size: headSize,
    body_size: body.length,
    body_sha256: sha256(body),
    chunks: [],
    head_at_ms: 0,
    first_body_byte_ms: null,
    last_byte_ms: 0,
    framing: 'complete',
    ended: 'kept',
    ended_ms: null,
    trailers: [],
    reset_code: null,
    conversation: null,
    answered: { bytes: '', size: 0, sha256: '', chunks: [], head_sizes: [], trailers_size: 0, done: true },
  }
}

function changedResponse(response: Response, row: Row): Response {
  const named = Object.keys(row.fields ?? {}).map(name => name.toLowerCase())
  const kept = response.fields.filter(([name]) => !named.includes(name.toLowerCase()))
  const added = Object.entries(row.fields ?? {}).flatMap(([name, value]) =>
    value === null ? [] : [[name, value] as const],
  )
  const parts = row.body === undefined ? response.parts : changedParts(response, row.body)
  const later = row.laterMs ?? 0
  return {
    ...response,
    status: row.status ?? response.status,
    fields: [...kept, ...added],
    body: Buffer.concat(parts.map(({ bytes }) => bytes)),
    isComplete: row.complete ?? response.isComplete,
    interims: response.interims.slice(0, row.interims),
    parts: parts.map(({ atMs, bytes }) => ({ atMs: atMs + later, bytes })),
    headAtMs: response.headAtMs + later,
    endAtMs: response.endAtMs + later,
  }
}

/** The part of the content that has the text, or else all of it as one part. */
function changedParts({ parts, body }: Response, change: [string, string]): Response['parts'] {
  const at = parts.findIndex(({ bytes }) => bytes.includes(change[0], 0, 'latin1'))
  const changed = (bytes: Buffer): Buffer => Buffer.from(replaced(bytes.toString('latin1'), change), 'latin1')
  if (at === -1) return [{ atMs: parts.at(-1)?.atMs ?? 0, bytes: changed(body) }]
  return parts.map((part, index) => (index === at ? { ...part, bytes: changed(part.bytes) } : part))
}

function mutated({ evidence }: CheckResult, row: Row): Evidence {
  const nonce = /\/probe\/([a-z2-7]{26})\//.exec(evidence!.first.record.sent.toString('latin1'))?.[1] ?? ''
  const target = row.call === undefined ? evidence!.first : evidence!.call(row.call)
  return new Evidence(
    'gateway',
    evidence!.exchanges.map(({ record, calls }) => {
      const isHere = calls.includes(target)
      const exchange = isHere && row.ended !== undefined ? { ...record, ended: row.ended } : record
      return {
        record: exchange,
        calls: calls.map(call => {
          const arrived = call.arrivals.map(({ record }) => ({ ...record, protocol: row.upstream ?? record.protocol }))
          const viewOf = (one: ArrivalRecord): ArrivalView => new ArrivalView(one, nonce)
          if (call !== target) return new Call(call.record, exchange, arrived.map(viewOf))
          const { response } = call.record
          const records = arrived.map(one => changedRecord(one, row))
          if (row.arrivedText !== undefined) records.splice(0, records.length, arrivedAs(row.arrivedText, call))
          while (row.arrivals !== undefined && records.length < row.arrivals) records.push(records[0]!)
          if (row.arrivals !== undefined) records.splice(row.arrivals)
          return new Call(
            { ...call.record, response: response === null ? null : changedResponse(response, row) },
            exchange,
            records.map(viewOf),
          )
        }),
      }
    }),
    evidence!.embedded,
  )
}

/** Some checks compare origins with that of the gateway. */
function factsThrough(url: string): Facts {
  const { origin, host, hostname } = new URL(url)
  return { ...FACTS, gateway: { origin, authority: host, host: hostname } }
}

t.test('each judge sees one changed byte, field or time [PRB-15]', async t => {
  const server = await launch({ plugins: ['probe', 'mcp', 'a2a', 'identity'] })
  t.teardown(() => server.stop())
  const proxy = await startProxy(server.ports.http!)
  t.teardown(() => proxy.close())
  const ids = [...new Set(ROWS.map(({ check }) => check))]
  const { results } = await probeThrough(proxy.url, server.url, { checks: checksNamed(ids), isHostile: true })
  for (const result of results) {
    const { check, verdict } = result
    t.ok(['pass', 'note'].includes(verdict), `${check.id}: ${verdict} as recorded`)
    for (const row of ROWS.filter(one => one.check === check.id)) {
      const { kind, call = '', verdict: expected, check: _check, ...change } = row
      const judged = check.judge(mutated(result, row), factsThrough(proxy.url), null)
      t.equal(judged.verdict, expected, `${check.id} ${call} ${kind}: ${JSON.stringify(change)}: ${judged.summary}`)
    }
  }
})
