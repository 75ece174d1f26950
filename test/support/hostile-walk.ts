/** The largest allowed request to each route of an OpenAPI document, made of its example: every text of it is hostile. */
import { readFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { attackedServer } from './attacked-server.ts'
import { slowness } from './reference-loop.ts'
import { probesOf, type Document, type Probe } from './openapi-walk.ts'

export type HostileKind = 'template' | 'pattern' | 'deep'
export const HOSTILE_KINDS: readonly HostileKind[] = ['template', 'pattern', 'deep']

/** A header that dictates the reply of a mock model, as a template. */
const REPLY_HEADER = 'X-Svc-Reply-Json'
const REPLY = '{{prompt}}'.repeat(1000)

export interface HostileRequest {
  kind: HostileKind | 'reply'
  method: string
  template: string
  path: string
  headers: Record<string, string>
  body: string | undefined
}

/** What all templates of the product could insert. */
const TEMPLATE = '{{prompt}}{{request.body}}{{request.body.messages}}{{request.query.x}}{{uuid}} '
/** Slow for engines that backtrack, and large for those that do not. */
const PATTERN = '[ab]*a[ab]{450}[cd](a+)+$'
/** Levels of a deep structure, which every parser of the product must bear or refuse. */
const LEVELS = 10_000
/** This fits into a request target. */
const PARAMETER_BYTES = 2000
const LARGE_NUMBER = '999999999'

/** For each operation the hostile forms of its examples. `limit` is that of a body in bytes. */
export function* hostileRequests(document: Document, limit: number): Generator<HostileRequest> {
  const seen = new Set<string>()
  for (const probe of probesOf(document)) {
    const { method, template, operation, headers } = probe
    const hasBody = method !== 'get' && method !== 'head'
    // The first probe of an operation is its example. A route for any method is listed once for each method.
    const key = `${template} ${operation.summary} ${hasBody}`
    if (seen.has(key)) continue
    seen.add(key)
    const sent = new Set<string>()
    if (hasBody && operation.parameters?.some(({ name }) => name === REPLY_HEADER))
      yield {
        kind: 'reply',
        method,
        template,
        path: probe.path,
        headers: { ...headers, [REPLY_HEADER]: JSON.stringify({ text: REPLY }) },
        body: hostileBody(probe.body, 'template', limit),
      }
    for (const kind of HOSTILE_KINDS) {
      const path = hostilePath(probe, kind)
      if (!hasBody && sent.has(path)) continue
      sent.add(path)
      const body = hasBody ? hostileBody(probe.body, kind, limit) : undefined
      yield { kind, method, template, path, headers, body }
    }
  }
}

/** Adds each documented query parameter: numbers are large, texts hostile. Numbers in the path are large as well. */
function hostilePath({ template, path, operation }: Probe, kind: HostileKind): string {
  const query = new URLSearchParams()
  let target = path.split('?', 1)[0]!
  for (const { name, in: place, schema } of operation.parameters ?? []) {
    const isNumber = schema.type === 'integer' || schema.type === 'number'
    if (place === 'query' && !isWaiting(name))
      query.append(name, isNumber ? largest(schema) : repeated(kind, PARAMETER_BYTES / 10))
    if (place === 'path' && isNumber && !isWaiting(template))
      target = withNumber(template, target, name, largest(schema))
  }
  return query.size === 0 ? target : `${target}?${query}`
}

/** A long wait is not work. */
function isWaiting(name: string): boolean {
  return /delay|duration|latency|timeout|wait|after|interval|drip/i.test(name)
}

function largest({ maximum }: Record<string, unknown>): string {
  return typeof maximum === 'number' ? String(maximum) : LARGE_NUMBER
}

function withNumber(template: string, path: string, name: string, number: string): string {
  const at = template.split('/').findIndex(segment => segment === `{${name}}`)
  return at < 0 ? path : path.split('/').with(at, number).join('/')
}

function repeated(kind: HostileKind, bytes: number): string {
  if (kind === 'deep') return '['.repeat(bytes / 2) + ']'.repeat(bytes / 2)
  const unit = kind === 'template' ? TEMPLATE : PATTERN
  return unit.repeat(Math.max(1, Math.floor(bytes / unit.length)))
}

/** The largest body. Only texts that a reader would write freely are replaced, so that the request stays valid. */
function hostileBody(example: string | undefined, kind: HostileKind, limit: number): string {
  const value = parsed(example)
  if (value === undefined) return hostileText(example ?? '', kind, limit)
  const free = countTexts(value, isFree)
  const counts = free > 0 ? isFree : () => true
  const texts = free > 0 ? free : countTexts(value, counts)
  if (texts === 0) return hostileText(example ?? '', kind, limit)
  const share = Math.floor((limit - (example ?? '').length - 100) / texts)
  const text = repeated(kind, share)
  return replaced(value, counts, () => (kind === 'deep' ? deep(share) : text))
}

/** For bodies that are not JSON: forms, XML, plain text. */
function hostileText(example: string, kind: HostileKind, limit: number): string {
  const at = Math.max(example.lastIndexOf('</'), 0) || example.length
  return example.slice(0, at) + repeated(kind, limit - example.length - 100) + example.slice(at)
}

function parsed(text: string | undefined): unknown {
  try {
    const value: unknown = JSON.parse(text ?? '')
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

const FREE_NAMES =
  /^(?:content|text|input|prompt|message|query|data|description|value|arguments?|instructions|system|title|body|query|parts|document|documents|texts|pattern|matches|path)$/i

function isFree(text: string, name: string): boolean {
  return text.includes(' ') || FREE_NAMES.test(name)
}

type Counts = (text: string, name: string) => boolean

function countTexts(value: unknown, counts: Counts, name = ''): number {
  if (typeof value === 'string') return counts(value, name) ? 1 : 0
  if (typeof value !== 'object' || value === null) return 0
  return Object.entries(value).reduce(
    (sum, [key, member]) => sum + countTexts(member, counts, Array.isArray(value) ? name : key),
    0,
  )
}

/** The JSON text, since `JSON.stringify` cannot write deep structures. `make` returns JSON for `deep`, else a text. */
function replaced(value: unknown, counts: Counts, make: () => string, name = ''): string {
  if (typeof value === 'string') return counts(value, name) ? json(make()) : JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(item => replaced(item, counts, make, name)).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([key, member]) => `${JSON.stringify(key)}:${replaced(member, counts, make, key)}`,
  )
  return `{${members.join(',')}}`
}

const json = (text: string): string => (text.startsWith('[[') || text.startsWith('[{') ? text : JSON.stringify(text))

/** Lists in lists and objects in objects, side by side until the share is used up. */
function deep(bytes: number): string {
  const levels = Math.max(1, Math.min(LEVELS, Math.floor(bytes / 20)))
  const one = `${'[{"a":'.repeat(levels / 2)}0${'}]'.repeat(levels / 2)}`
  const count = Math.max(1, Math.floor(bytes / (one.length + 1)) - 1)
  return `[${Array.from({ length: count }, () => one).join(',')}]`
}

const MIB = 1024 * 1024
/** Milliseconds of processor time that a request may take, on a machine that is not slow at the moment. */
const MOST_CPU_MS = 200
/** A request that took longer is sent again: the first one may compile code, or collect the garbage of others. */
const TRIES = 3
/** Between two looks at a server that has not answered. */
const LOOK_MS = 150
/** Looks without processor time in between, after which the client leaves: the answer is a stream, or waits for something. */
const IDLE_LOOKS = 3
/** Milliseconds of processor time that count as idle: timers run. */
const IDLE_MS = 5

/** Routes that change the instance for those that follow, or end it. */
const LEFT_OUT =
  /^\/_svc\/(?:plugins\/\{name\}|reload|mocks\/reload|mocks\/\{name\}\/disable|probe|replicas)|^\/probe\//

/** Routes whose purpose is size: they stream, and have limits of their own. */
const SIZE_IS_PURPOSE =
  /^\/(?:httpbin\/)?(?:bytes|stream-bytes|range|stream|drip)\b|^\/mcp\/servers\/\{name\}|^\/_svc\/requests\/export|^\/openapi\.|^\/_svc\/metrics/

/** Bytes that an echo adds to what was sent: its own members, and the head of the request. */
const ENVELOPE_BYTES = 128 * 1024

/** Answers that a request asks for. */
const ERROR_IS_PURPOSE = /^\/(?:httpbin\/)?status|^\/flaky|^\/health|^\/_svc\/ready/

interface Test {
  teardown(callback: () => unknown): unknown
}

interface Outcome {
  status: number
  bytes: number
}

/** Sends a request, and reads its answer up to a bound. */
function send(
  url: string,
  pid: number,
  { method, path, headers, body }: HostileRequest,
  most: number,
): Promise<Outcome> {
  return new Promise(resolve => {
    let status = -1
    let bytes = 0
    let idle = 0
    let before = cpuMs(pid)
    const finish = (): void => {
      clearInterval(timer)
      request.destroy()
      resolve({ status, bytes })
    }
    const request = httpRequest(url + path, { method: method.toUpperCase(), headers, agent: false }, response => {
      status = response.statusCode ?? -1
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > most) finish()
      })
      response.on('close', finish)
    })
    const timer = setInterval(() => {
      const now = cpuMs(pid)
      idle = now - before < IDLE_MS ? idle + 1 : 0
      before = now
      if (idle >= IDLE_LOOKS) finish()
    }, LOOK_MS)
    request.on('error', finish)
    request.end(body)
  })
}

/** Milliseconds of processor time of the main thread of a process. */
function cpuMs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
}

/** What the walk found. */
export interface HostileWalk {
  requests: number
  /** Milliseconds of processor time of all threads. */
  cpuMs: number
  grownMib: number
  /** Requests that took too long, had an answer that is too large, or failed. */
  wrong: string[]
  exit: { code: number | null; signal: string | null } | null
}

/** Sends the hostile requests to a server process of its own, with a heap of 256 MB. */
export async function walkHostile(t: Test, isPublic: boolean): Promise<HostileWalk> {
  const server = await attackedServer(t, { isPublic })
  const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as Document
  const pid = server.child.pid!
  const most = (isPublic ? 1 : 16) * MIB + ENVELOPE_BYTES
  const wrong: string[] = []
  let requests = 0
  const cost = await server.attack(1, async () => {
    for (const hostile of hostileRequests(document, MIB)) {
      if (LEFT_OUT.test(hostile.template)) continue
      requests++
      let took = Infinity
      let outcome: Outcome = { status: 0, bytes: 0 }
      for (let attempt = 0; attempt < TRIES && took > MOST_CPU_MS; attempt++) {
        const before = cpuMs(pid)
        outcome = await send(server.url, pid, hostile, most)
        const costMs = cpuMs(pid) - before
        took = Math.min(took, costMs > MOST_CPU_MS ? costMs / Math.max(1, slowness()) : costMs)
      }
      wrong.push(...complaints(hostile, outcome, took, most))
    }
  })
  const [result] = cost.results
  if (result?.status === 'rejected') wrong.push(String(result.reason))
  return { requests, cpuMs: cost.cpuMs, grownMib: cost.grownMib, wrong, exit: cost.exit }
}

function complaints(
  { method, template, kind }: HostileRequest,
  { status, bytes }: Outcome,
  tookMs: number,
  most: number,
): string[] {
  const title = `${method.toUpperCase()} ${template} (${kind})`
  return [
    ...(tookMs > MOST_CPU_MS ? [`${title}: ${Math.round(tookMs)} ms, status ${status}`] : []),
    ...(bytes > most && !SIZE_IS_PURPOSE.test(template) ? [`${title}: ${bytes} bytes`] : []),
    ...(status >= 500 && status !== 501 && !ERROR_IS_PURPOSE.test(template) ? [`${title}: status ${status}`] : []),
  ]
}
