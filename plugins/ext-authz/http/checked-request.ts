/** Reads the checked request of a call over HTTP: each gateway has its own way to say what it asks about. */
import { type FastifyRequest, refusal, type Svc } from 'svc/plugin'
import { isToken } from 'svc/toolkit'
import type { GivenRequest } from '../../gateway-services/types.ts'

/** Headers that carry the checked request, or belong to the call itself. */
const CARRYING = [
  'x-forwarded-method',
  'x-forwarded-uri',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-forwarded-for',
  'x-original-method',
  'x-original-url',
  'x-original-uri',
]
const OF_CALL = ['host', 'content-length', 'connection', 'transfer-encoding']

/** Segments of `/ext-authz/<policy>`, with the empty one before the first slash. */
const MOUNT_SEGMENTS = 3

/** A call as a gateway has sent it. */
export interface CarriedRequest extends GivenRequest {
  /** Whether the query of the call belongs to the call: it has parameters of the policy. */
  hasOwnQuery: boolean
}

/** What is below `/ext-authz/<policy>` is the path of the checked request, unless headers say it. */
export function readCarried(request: FastifyRequest, { http }: Pick<Svc, 'http'>): CarriedRequest {
  const first = (name: string): string | undefined => {
    const value = request.headers[name]
    const text = Array.isArray(value) ? value[0] : value
    return text === undefined || text === '' ? undefined : text
  }
  const clientIp = first('x-forwarded-for')?.split(',', 1)[0]!.trim()
  const shared = {
    clientIp: clientIp === undefined || clientIp === '' ? http.clientIp(request) : clientIp.slice(0, 100),
    scheme: schemeOf(first('x-forwarded-proto'), http.origin(request).scheme),
    body: http.body(request),
  }
  const forwarded = { method: first('x-forwarded-method'), uri: first('x-forwarded-uri') }
  if (forwarded.method !== undefined && forwarded.uri !== undefined)
    return {
      ...shared,
      method: methodOf(forwarded.method, 'X-Forwarded-Method'),
      url: pathOf(forwarded.uri, 'X-Forwarded-Uri'),
      rawHeaders: headersOf(request, first('x-forwarded-host') ?? request.headers.host, http),
      hasOwnQuery: true,
    }
  const absolute = first('x-original-url')
  const original = first('x-original-uri')
  if (absolute !== undefined || original !== undefined) {
    const target = absolute === undefined ? null : absoluteTarget(absolute)
    return {
      ...shared,
      method: methodOf(first('x-original-method') ?? request.method, 'X-Original-Method'),
      url: target?.path ?? pathOf(original!, 'X-Original-URI'),
      scheme: target?.scheme ?? shared.scheme,
      rawHeaders: headersOf(request, target?.host ?? first('x-forwarded-host') ?? request.headers.host, http),
      hasOwnQuery: true,
    }
  }
  return {
    ...shared,
    method: request.method,
    url: belowPolicy(request.url),
    rawHeaders: headersOf(request, request.headers.host, http),
    hasOwnQuery: false,
  }
}

/** `/ext-authz/jwt/orders?x=1` is `/orders?x=1`. */
function belowPolicy(url: string): string {
  const query = url.indexOf('?')
  const path = query === -1 ? url : url.slice(0, query)
  const rest = path.split('/').slice(MOUNT_SEGMENTS).join('/')
  return `/${rest}${query === -1 ? '' : url.slice(query)}`
}

function headersOf(request: FastifyRequest, host: string | undefined, http: Svc['http']): string[] {
  const received = http.receivedHeaders(request)
  const kept: string[] = host === undefined ? [] : ['host', host]
  for (let index = 0; index < received.length; index += 2) {
    const name = received[index]!.toLowerCase()
    if (name.startsWith(':') || OF_CALL.includes(name) || CARRYING.includes(name)) continue
    kept.push(received[index]!, received[index + 1]!)
  }
  return kept
}

function schemeOf(value: string | undefined, fallback: 'http' | 'https'): 'http' | 'https' {
  const scheme = value?.split(',', 1)[0]!.trim().toLowerCase()
  return scheme === 'http' || scheme === 'https' ? scheme : fallback
}

function methodOf(method: string, header: string): string {
  if (method.length <= 40 && isToken(method)) return method
  throw refusal(400, 'invalid_checked_request', `${header} is not a method`)
}

function pathOf(uri: string, header: string): string {
  if (/^\/[\x21-\x7e\x80-\xff]*$/.test(uri)) return uri
  throw refusal(400, 'invalid_checked_request', `${header} is not a path that begins with "/"`)
}

function absoluteTarget(url: string): { scheme: 'http' | 'https'; host: string; path: string } {
  const [, scheme, host, path = ''] = /^(https?):\/\/([^/?#\s]{1,255})([/?][^#\s]*)?$/i.exec(url) ?? []
  if (scheme === undefined) throw refusal(400, 'invalid_checked_request', 'X-Original-URL is not an absolute http URL')
  const target = path.startsWith('/') ? path : `/${path}`
  return {
    scheme: scheme.toLowerCase() as 'http' | 'https',
    host: host!,
    path: pathOf(target, 'The path of X-Original-URL'),
  }
}
