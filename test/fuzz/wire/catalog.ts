/**
 * Every example of the catalog, changed: JSON, XML, forms and texts in bodies, values in paths, queries and headers.
 */
import type { Family } from '../engine.ts'
import { mutateBytes, mutateJsonText, mutateText } from '../mutate.ts'
import type { Random } from '../random.ts'
import type { CatalogExample, HttpInput, Target } from './server.ts'

/** Requests that change the instance for all families, or that only repeat others. */
const LEFT_OUT = /^\/(?:_svc\/(?:plugins|reload|requests)|health\/|ui|docs|export|openapi)/
/** Sends stored responses, which are the requested ones. */
const WORDS = ['&', '=', '%00', '..%2f', '%E0%A4%A', '{', '<a>', ';', 'null', '[]=', '[__proto__]=', '0x', '1e9', ',,']
const HEADER_WORDS = [';', ',', '=', '"', 'q=0', '*/*', 'bytes=', 'Bearer ', 'charset=', 'boundary=', 'gzip', '\t']
/** Sometimes sent with any route, because all or many routes read them. */
const COMMON_HEADERS: Record<string, string> = {
  accept: 'application/xml',
  'content-type': 'application/json; charset=utf-8',
  cookie: 'a=b; c=d',
  range: 'bytes=0-9',
  'if-none-match': '"x"',
  'x-svc-session': 'fuzz',
  'x-svc-fail': '503:0',
  authorization: 'Bearer a.b.c',
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  'x-forwarded-for': '192.0.2.1',
  forwarded: 'for=192.0.2.1;proto=https',
  origin: 'http://a.example',
  'last-event-id': '3',
  'content-encoding': 'gzip',
  'x-svc-key': 'sk_0123456789',
  'mcp-protocol-version': '2025-06-18',
  'mcp-session-id': 'x',
  'a2a-version': '1.0',
  'anthropic-version': '2023-06-01',
  'x-svc-llm-mode': 'echo',
  'accept-encoding': 'br',
}

/** A family per plugin; `core` for routes of the core. */
export async function catalogFamilies(target: Target, slice: number): Promise<Family<HttpInput>[]> {
  const groups = new Map<string, HttpInput[]>()
  for (const { plugin, path, example } of await target.examples()) {
    if (LEFT_OUT.test(path)) continue
    const name = plugin ?? 'core'
    groups.set(name, [...(groups.get(name) ?? []), toInput(example)])
  }
  return [...groups].map(([name, seeds]) => ({
    name: `catalog: ${name}`,
    seeds,
    slice,
    inFlight: 24,
    mutate,
    run: input => target.send(input),
  }))
}

function toInput({ method, path, headers, body, body_type: type, auth }: CatalogExample): HttpInput {
  const fields = Object.fromEntries(headers.map(({ name, value }) => [name.toLowerCase(), value]))
  if (type !== null && fields['content-type'] === undefined)
    fields['content-type'] = { json: 'application/json', xml: 'text/xml', form: 'application/x-www-form-urlencoded' }[
      type
    ]
  if (auth?.type === 'bearer') fields.authorization = `Bearer ${auth.token}`
  if (auth?.type === 'basic')
    fields.authorization = `Basic ${Buffer.from(`${auth.username}:${auth.password}`).toString('base64')}`
  return { method, path, headers: fields, body }
}

function mutate(random: Random, seed: HttpInput): HttpInput {
  const input = { ...seed, headers: { ...seed.headers } }
  if (seed.body !== null && !random.oneIn(4)) input.body = mutateBody(random, seed.body as string)
  if (seed.body === null || random.oneIn(3)) input.path = mutatePath(random, seed.path)
  if (random.oneIn(3)) mutateHeader(random, input.headers)
  if (random.oneIn(20)) input.method = random.pick(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
  return input
}

function mutateBody(random: Random, body: string): string | Buffer {
  if (random.oneIn(8)) return mutateBytes(random, Buffer.from(body), WORDS)
  return /^\s*[{[]/.test(body) ? mutateJsonText(random, body) : mutateText(random, body, WORDS)
}

/** Changes one value: a segment behind the first, or the query. */
function mutatePath(random: Random, path: string): string {
  const [route = '', query] = path.split('?', 2)
  if (query !== undefined && random.oneIn(2)) return `${route}?${sendable(mutateText(random, query, WORDS))}`
  if (random.oneIn(4))
    return `${path}${query === undefined ? '?' : '&'}${sendable(mutateText(random, 'seed=1&delay=0&count=2&limit=5&jitter=1&mode=text', WORDS))}`
  const segments = route.split('/')
  const at = 2 + random.below(Math.max(1, segments.length - 2))
  segments[Math.min(at, segments.length - 1)] = sendable(mutateText(random, segments[at] ?? 'x', WORDS)).slice(0, 8000)
  return segments.join('/') + (query === undefined ? '' : `?${query}`)
}

function mutateHeader(random: Random, headers: Record<string, string>): void {
  const own = Object.keys(headers)
  const name = own.length > 0 && random.oneIn(2) ? random.pick(own) : random.pick(Object.keys(COMMON_HEADERS))
  headers[name] = mutateText(random, headers[name] ?? COMMON_HEADERS[name]!, HEADER_WORDS)
    .replace(/[^\t\x20-\x7e\x80-\xff]/g, '?')
    .slice(0, 12_000)
}

/** Makes a text valid in a request line; escapes are kept, even malformed ones. */
function sendable(text: string): string {
  // Through bytes and back: halves of surrogate pairs have no escape.
  return Buffer.from(text)
    .toString()
    .replace(/[^\x21-\x7e]+|[#?]/g, encodeURIComponent)
    .slice(0, 12_000)
}
