/** The page of a check: what `svc probe show` and `GET /_svc/probe/checks/{ID}` say, and the files of a release. */
import { impactOf, type Check, type Facts, type Level } from '../catalog/check.ts'
import FINDINGS from '../catalog/findings.json' with { type: 'json' }
import COMPARISON from '../catalog/gateways.json' with { type: 'json' }
import { encodeRequest, type Encoding, type RequestSpec } from '../client/request.ts'
import { NO_ROUTES } from '../client/routes.ts'
import { modelSettingsOf } from '../client/run-facts.ts'
import { visible } from 'svc/toolkit'

const LEVELS: Record<Level, string> = {
  must: 'a requirement of the standard that binds gateways; broken: `fail`',
  'other-spec': 'a requirement of another specification; broken: `fail`',
  integrity: 'content or meaning of a valid message; changed, lost or repeated: `fail`',
  should: 'a recommendation of the standard; not followed: `warn`',
  hazard: 'allowed, and known to cause trouble: `warn`',
  'proxy-only': 'a requirement that binds proxies, but not gateways: `note` or `warn`',
  observation: 'an observation: `note`, with what was seen',
  timing: 'a measurement: `note`, with numbers',
}
const MAX_REQUESTS = 3
const MAX_LINES = 14
const MAX_LINE = 110
const MAX_SUMMARY = 240
const MAX_SHOWN_BYTES = 8_192
const PATHS: Readonly<Record<string, string>> = {
  llm: '/ai/openai/v1',
  gql: '/graphql',
  mcp: '/mcp',
  a2a: '/a2a/weather',
}

/** What plans get as the facts of a run. */
const FACTS: Facts = {
  gateway: { origin: 'http://gateway.example', authority: 'gateway.example', host: 'gateway.example' },
  directOrigin: 'http://gateway.example',
  arrivedOrigin: null,
  mcp: null,
  graph: { prefix: '', reason: '', protocol: '1.1', isOfGraph: true },
  graphs: { propagates: ['X-Tenant'], timeoutS: 30, persisted: 'user-name' },
  upstreamOrigins: ['http://upstream.example:8080'],
  reuses: null,
  viaPseudonym: 'gateway',
  hasCredentials: false,
  asksForCertificates: false,
  realtimeModel: 'gpt-realtime',
  hiddenTools: ['delete_all'],
  mcpToken: 'TOKEN',
  pairs: [],
  models: modelSettingsOf(NO_ROUTES),
  routes: new Set(['jwt', 'mcp.token', 'mcp.hidden', 'tls.good', 'tls.expired', 'tls.wrong-host', 'tls.unknown-ca']),
  tokens: { valid: 'TOKEN', before: 'TOKEN' },
  hasOwnLlmCredential: false,
  timeoutMs: 10_000,
  isSlow: false,
  protocol: '1.1',
  clientProtocols: ['1.1', '2'],
}

/** A proxy of the tests that breaks the rule, and what the check says of it. */
interface Finding {
  proxy: string
  verdict: string
  summary: string
}

/** Gateways with the same result in the comparison. */
export interface GatewayResult {
  result: string
  in_http2: boolean
  gateways: string[]
}

export interface CheckPage {
  /** The level, and what it means for the verdict. */
  level: string
  impact: string
  /** With which protocols and options the check runs. */
  runs: string
  sent: string
  /** The first requests as they are written in HTTP/1.1, with line breaks; empty if the check needs HTTP/2. */
  requests: string[]
  /** How many requests the check sends in HTTP/1.1. */
  request_count: number
  expected: string
  why: string
  finding: string
  /** Configuration by product. */
  configure: Readonly<Record<string, string>>
  /** What each wire has no word for, by wire. */
  cannot: Readonly<Record<string, string>>
  /** From the comparison of gateways. */
  gateways: GatewayResult[]
  /** Addresses of public threads that show the same kind of fault. */
  seen: string[]
  command: string
}

export function pageOf(check: Check): CheckPage {
  const { id, level, page } = check
  const requests = check.protocols?.includes('1.1') === false ? [] : planned(check)
  return {
    level: `\`${level}\`: ${LEVELS[level]}`,
    impact: impactOf(check),
    runs: runsOf(check),
    sent: page.sent,
    requests: written(check, requests.slice(0, MAX_REQUESTS)),
    request_count: requests.length,
    expected: page.expected,
    why: page.why,
    finding: findingOf(check),
    configure: page.configure ?? {},
    cannot: page.cannot ?? {},
    gateways: [...resultsOf(id, false), ...resultsOf(`${id} (HTTP/2)`, true).filter(({ result }) => result !== '–')],
    seen: (page.seen ?? []).map(threadUrl),
    command: `svc probe http://localhost:8000 --listen 8080 --checks ${id}${optionsOf(check)}`,
  }
}

/** `owner/name#number`; GitHub redirects numbers of pull requests. */
function threadUrl(thread: string): string {
  const [repository, number] = thread.split('#')
  return `https://github.com/${repository}/issues/${number}`
}

function runsOf({ protocols = ['1.1'], hostile, when = {} }: Check): string {
  return [
    protocols.length === 2 ? 'in HTTP/1.1 and HTTP/2' : protocols[0] === '2' ? 'in HTTP/2' : 'in HTTP/1.1',
    ...(hostile === true ? ['only with `--hostile`'] : []),
    ...(when.breaks === true
      ? ['late and alone, since the gateway may take the upstream out of service']
      : when.alone === true
        ? ['alone']
        : []),
    ...(when.routes === undefined ? [] : [`with \`${when.routes.join('` or `')}\` in the file of \`--routes\``]),
  ].join('; ')
}

function planned(check: Check): RequestSpec[] {
  return check.plan(FACTS).connections.flatMap(connection => connection.requests)
}

function written(check: Check, requests: readonly RequestSpec[]): string[] {
  let step = 0
  const numbers = new Map<RequestSpec, number>()
  const numberOf = (spec: RequestSpec): number => {
    const number = numbers.get(spec) ?? ++step
    numbers.set(spec, number)
    return number
  }
  const encoding: Encoding = {
    authority: 'gateway.example',
    prefix: PATHS[check.group] ?? '',
    nonce: '<nonce>',
    field: '<nonce>',
    extraFields: [],
    check: check.id,
    model: 'gpt-4o-mini',
  }
  return requests
    .map(request => encodeRequest(request, encoding, numberOf).parts.filter(part => Buffer.isBuffer(part)))
    .map(parts => textOf(Buffer.concat(parts)))
}

function textOf(bytes: Buffer): string {
  const lines = bytes
    .subarray(0, MAX_SHOWN_BYTES)
    .toString('latin1')
    .split('\r\n')
    .map(line => {
      const text = visible(line).replaceAll(/[\u0080-\u00ff]/g, one => `\\x${one.charCodeAt(0).toString(16)}`)
      return text.length > MAX_LINE ? `${text.slice(0, MAX_LINE)} …` : text
    })
  const cut = lines.length > MAX_LINES ? [...lines.slice(0, MAX_LINES), '…'] : lines
  return cut.join('\n').trimEnd()
}

function findingOf({ id, level }: Check): string {
  const finding = (FINDINGS as Record<string, Finding | undefined>)[id]
  if (finding !== undefined)
    return `With a proxy whose fault is “${finding.proxy}”: \`${finding.verdict}\`, “${shortened(finding.summary)}”.`
  return level === 'observation' || level === 'timing'
    ? 'It only reports what was seen.'
    : 'No wrong proxy of the tests shows one.'
}

function shortened(text: string): string {
  return text.length > MAX_SUMMARY ? `${text.slice(0, MAX_SUMMARY).trimEnd()} …` : text
}

/** The gateways of a row of the comparison by result. */
function resultsOf(row: string, inHttp2: boolean): GatewayResult[] {
  const cells = (COMPARISON.results as Record<string, string[] | undefined>)[row] ?? []
  const found = new Map<string, string[]>()
  for (const [index, cell] of cells.entries())
    found.set(cell, [...(found.get(cell) ?? []), COMPARISON.gateways[index]!])
  return [...found].map(([result, gateways]) => ({ result, in_http2: inHttp2, gateways }))
}

function optionsOf({ hostile, protocols, when = {} }: Check): string {
  return `${hostile === true ? ' --hostile' : ''}${protocols?.includes('2') === true ? ' --h2' : ''}${when.routes === undefined ? '' : ' --routes routes.yaml'}`
}
