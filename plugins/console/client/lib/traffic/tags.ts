/** Tags for the type of a captured request, from its path, headers and body. */
import { headerOf, parseJson, type Entry } from '../protocol/http.ts'
import { decisionTone } from './services.ts'

/** Color of a badge. */
export type Tone = 'neutral' | 'good' | 'warn' | 'bad' | 'info' | 'accent'

export interface Tag {
  text: string
  tone: Tone
  /** What the text shortens. */
  title?: string
}

const known = new WeakMap<Entry, readonly Tag[]>()

/** The tags of an entry, computed once; first what went wrong, then the type. */
export function tagsOf(entry: Entry): readonly Tag[] {
  let tags = known.get(entry)
  if (tags === undefined) {
    tags = readTags(entry)
    known.set(entry, tags)
  }
  return tags
}

function readTags(entry: Entry): Tag[] {
  const { path, headers } = entry
  const tags = [...faultTags(entry), ...noticedTags(entry)]
  if (entry.rule !== null) tags.push({ text: `rule ${entry.rule}`, tone: 'warn' })
  if (entry.service !== null) {
    const { name, decision, reason } = entry.service
    tags.push({
      text: `${name} ${decision}`,
      tone: decisionTone(decision),
      ...(reason === null ? {} : { title: reason }),
    })
  }
  if (entry.ended === 'open') tags.push({ text: 'open', tone: 'info' })
  if (entry.ended === 'client_left') tags.push({ text: 'client disconnected', tone: 'warn' })
  const ai = /^\/ai\/([^/]+)/.exec(path)?.[1]
  if (ai !== undefined && ai !== 'requests') tags.push({ text: `AI ${ai === 'v1' ? 'openai' : ai}`, tone: 'info' })
  if (below(path, '/mcp'))
    tags.push({ text: joined('MCP', headerOf(headers, 'mcp-method') ?? rpcMethod(entry)), tone: 'info' })
  if (below(path, '/a2a'))
    tags.push({
      text: joined('A2A', rpcMethod(entry) ?? /\/(?:message|tasks\/[^/]+):(\w+)$/.exec(path)?.[1] ?? null),
      tone: 'info',
    })
  if (below(path, '/graphql')) tags.push({ text: graphText(entry), tone: 'info' })
  if (below(path, '/soap')) tags.push({ text: 'SOAP', tone: 'info' })
  if (below(path, '/jsonrpc')) tags.push({ text: joined('JSON-RPC', rpcMethod(entry)), tone: 'info' })
  if (below(path, '/oauth')) tags.push({ text: 'OAuth', tone: 'info' })
  const bin = /^\/bin\/([^/]+)/.exec(path)?.[1]
  if (bin !== undefined) tags.push({ text: `bin ${bin.slice(0, 8)}`, tone: 'neutral' })
  const mock = /^\/mock\/([^/]+)/.exec(path)?.[1]
  if (mock !== undefined) tags.push({ text: `mock ${mock}`, tone: 'neutral' })
  if (entry.status === 101) tags.push({ text: 'WebSocket', tone: 'info' })
  if (entry.plugin === 'grpc' || entry.grpc_status !== null)
    tags.push({
      text: entry.grpc_status === null ? 'gRPC' : `gRPC ${entry.grpc_status}`,
      tone: entry.grpc_status === null || entry.grpc_status === 0 ? 'info' : 'warn',
    })
  if (headerOf(headers, 'x-svc-console') !== null) tags.push({ text: 'console', tone: 'accent' })
  return tags
}

/** Prefixes of tags about rules of vendors. */
const VIOLATION = 'violation:'
const REFUSED = 'refused:'

/** The rules of vendors that an entry violates. */
export function violationsOf({ tags }: Entry): string[] {
  return tags.filter(tag => tag.startsWith(VIOLATION)).map(tag => tag.slice(VIOLATION.length))
}

/** What plugins noticed. Violations are one tag, since there may be several. */
function noticedTags(entry: Entry): Tag[] {
  const others = entry.tags.filter(tag => !tag.startsWith(VIOLATION) && !tag.startsWith(REFUSED))
  const violations = violationsOf(entry)
  return [
    ...(violations.length === 0
      ? []
      : [
          {
            text: 'violation',
            tone: 'warn' as const,
            title: `A real vendor would have refused this: ${violations.join(', ')}`,
          },
        ]),
    ...others.map((text): Tag => ({ text, tone: 'neutral' })),
  ]
}

const ABORTED = {
  reset: 'reset',
  close: 'closed',
  empty: 'empty body',
  truncate: 'truncated',
  'bad-chunk': 'bad chunk',
  garbage: 'garbage',
} as const satisfies Record<NonNullable<Entry['abort']>, string>

/** What an injected fault did: `delay 300 ms`, `503 injected`, `529 overloaded`, `reset`. */
function faultTags(entry: Entry): Tag[] {
  const { path, fault, fault_source: source, abort, status } = entry
  const tag = (text: string, title?: string | null): Tag => ({ text, tone: 'warn', ...(title ? { title } : {}) })
  if (fault === null)
    return below(path, '/flaky') && status >= 500 ? [tag(`${status} injected`, 'a flaky endpoint')] : []
  const value = faultValue(source ?? fault)
  if (fault === 'delay') return [tag(delayText(value), source)]
  const delayed = delayBefore(entry)
  return [
    ...(delayed === null ? [] : [tag(delayText(delayed), `X-Svc-Delay: ${delayed}`)]),
    tag(abort === null ? failText(value, status) : ABORTED[abort], source),
  ]
}

function failText(value: string, status: number): string {
  if (/^\d{3}\b/.test(value)) return `${status} injected`
  return status >= 400 ? `${status} ${value}` : `fault ${value}`
}

function delayText(value: string): string {
  return /^\d+$/.test(value) ? `delay ${value} ms` : 'delay'
}

/** The delay that came before the fault of a request with both headers: an entry has only the last one. */
function delayBefore({ headers, fault_origin: origin, latency_ms: ms }: Entry): string | null {
  const value = headerOf(headers, 'x-svc-delay')?.trim() ?? ''
  return origin === 'header' && /^\d+$/.test(value) && Number(value) > 0 && ms >= Number(value) ? value : null
}

/** `overloaded` of `X-Svc-Fail: overloaded`, `?fail=overloaded` and `rule: fail overloaded`. */
function faultValue(source: string): string {
  const value = source.slice(Math.max(source.lastIndexOf(': ') + 2, source.lastIndexOf('=') + 1, 0))
  return value.replace(/^(?:abort|delay|fail) /, '')
}

function below(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`)
}

function joined(kind: string, method: string | null): string {
  return method === null ? kind : `${kind} ${method}`
}

/** `GraphQL reviews: query _entities`: the subgraph, the kind of the operation, and its name or first field. */
function graphText({ path, query, body, body_size }: Entry): string {
  const subgraph = /^\/graphql\/subgraphs\/([\w-]+)/.exec(path)?.[1]
  const kind = subgraph === undefined ? 'GraphQL' : `GraphQL ${subgraph}:`
  const parsed: unknown = body === null || body_size > 65_536 ? null : parseJson(body)
  const first: unknown = Array.isArray(parsed) ? parsed[0] : parsed
  const sent = typeof first === 'object' && first !== null ? (first as { query?: unknown }).query : undefined
  const text = typeof sent === 'string' ? sent : new URLSearchParams(query ?? '').get('query')
  const operation = text === null ? null : operationText(text)
  return operation === null ? kind.replace(/:$/, '') : `${kind} ${operation}`
}

/** Documents are not parsed: a tag only has to be right for the usual forms. */
function operationText(document: string): string | null {
  const text = document
    .replace(/#[^\n]*/g, '')
    .trimStart()
    .slice(0, 2_000)
  const [, word = 'query', name = ''] = /^(query|mutation|subscription)\b\s*([_A-Za-z]\w*)?/.exec(text) ?? []
  const field = /\{\s*(?:[_A-Za-z]\w*\s*:\s*)?([_A-Za-z]\w*)/.exec(text.replace(/\([^()]*\)/g, ''))?.[1]
  const shown = name === '' ? field : name
  return shown === undefined ? null : `${word} ${shown.slice(0, 60)}`
}

/** The method of a JSON-RPC request, or of the first one in a batch. */
function rpcMethod({ body, body_size }: Entry): string | null {
  if (body === null || body_size > 65_536) return null
  const parsed = parseJson(body)
  const first: unknown = Array.isArray(parsed) ? parsed[0] : parsed
  const method = typeof first === 'object' && first !== null ? (first as { method?: unknown }).method : undefined
  return typeof method === 'string' ? method.slice(0, 60) : null
}
