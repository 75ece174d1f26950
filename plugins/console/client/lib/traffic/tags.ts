/** Tags for the type of a captured request, from its path, headers and body. */
import { headerOf, parseJson, type Entry } from '../protocol/http.ts'

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
  const tags: Tag[] = []
  if (entry.fault !== null)
    tags.push({
      text: `fault ${faultValue(entry.fault_source ?? entry.fault)}`,
      tone: 'warn',
      title: entry.fault_source ?? entry.fault,
    })
  else if (below(path, '/flaky')) tags.push({ text: 'fault', tone: 'warn' })
  if (entry.rule !== null) tags.push({ text: `rule ${entry.rule}`, tone: 'warn' })
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
  if (below(path, '/graphql')) tags.push({ text: 'GraphQL', tone: 'info' })
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

/** The method of a JSON-RPC request, or of the first one in a batch. */
function rpcMethod({ body, body_size }: Entry): string | null {
  if (body === null || body_size > 65_536) return null
  const parsed = parseJson(body)
  const first: unknown = Array.isArray(parsed) ? parsed[0] : parsed
  const method = typeof first === 'object' && first !== null ? (first as { method?: unknown }).method : undefined
  return typeof method === 'string' ? method.slice(0, 60) : null
}
