/** Reads the request of `ForwardEcho`: what to send, how often, and where. */
import { isToken } from 'svc/toolkit'
import { invalidArgument } from '../call.ts'

export const SCHEMES = ['http', 'https', 'ws', 'wss', 'grpc', 'grpcs', 'tcp', 'tls', 'udp'] as const
export type Scheme = (typeof SCHEMES)[number]

const DEFAULT_PORTS: Readonly<Partial<Record<Scheme, number>>> = { http: 80, ws: 80, https: 443, wss: 443 }
const MAX_TIMEOUT_MS = 30_000
const DEFAULT_TIMEOUT_MS = 5000
const MAX_QPS = 1000
const MAX_MESSAGE = 65_536
const MAX_HEADERS = 100
const PRINTABLE = /^[\t -~]{0,8192}$/
/** What frames the message, or belongs to the connection. */
const OWN_HEADERS = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
])
/** Fields that name files, and transports that are not supported. */
const UNSUPPORTED = ['certFile', 'keyFile', 'caCertFile', 'http3', 'hbone', 'double_hbone'] as const

/** The message as the library reads it: absent fields are undefined. */
export interface ForwardEchoRequest {
  count?: number
  qps?: number
  timeout_micros?: string
  url?: string
  headers?: { key?: string; value?: string }[]
  message?: string
  http2?: boolean
  serverFirst?: boolean
  method?: string
  cert?: string
  key?: string
  caCert?: string
  alpn?: { value?: string[] } | null
  followRedirects?: boolean
  insecureSkipVerify?: boolean
  serverName?: string
  expectedResponse?: { value?: string } | null
  newConnectionPerRequest?: boolean
  proxyProtocolVersion?: 'NONE' | 'V1' | 'V2'
  force_ip_family?: string
  certFile?: string
  keyFile?: string
  caCertFile?: string
  http3?: boolean
  hbone?: object | null
  double_hbone?: object | null
}

/** Where a request goes, as the caller names it. */
export interface NamedTarget {
  scheme: Scheme
  /** Lower case, without brackets. */
  host: string
  port: number
  /** Host and port as given, for `Host`. */
  authority: string
  /** Path and query as given; `/` if there is none. */
  path: string
  /** The whole URL, as shown. */
  url: string
}

export interface ForwardPlan {
  count: number
  /** Milliseconds between the starts of two requests; 0: none. */
  intervalMs: number
  timeoutMs: number
  target: NamedTarget
  /** Without `Host`. */
  headers: [name: string, value: string][]
  /** The value of `Host`; null: that of the URL. */
  host: string | null
  message: string
  method: string
  isHttp2: boolean
  serverFirst: boolean
  followsRedirects: boolean
  isNewConnection: boolean
  expected: string | null
  proxyVersion: 1 | 2 | null
  family: 4 | 6 | null
  tls: TlsPlan
}

export interface TlsPlan {
  cert: string | null
  key: string | null
  ca: string | null
  alpn: string[] | null
  serverName: string | null
  isUnverified: boolean
}

/** Throws INVALID_ARGUMENT for what is not valid, or not supported. */
export function readPlan(request: ForwardEchoRequest, maxCount: number): ForwardPlan {
  for (const name of UNSUPPORTED) if (request[name]) throw invalidArgument(`${name} is not supported`)
  const count = request.count || 1
  if (count < 1 || count > maxCount) throw invalidArgument(`count: expected 1 to ${maxCount}`)
  const qps = request.qps ?? 0
  if (qps < 0 || qps > MAX_QPS) throw invalidArgument(`qps: expected 0 to ${MAX_QPS}`)
  const timeoutMs = Number(request.timeout_micros ?? 0) / 1000 || DEFAULT_TIMEOUT_MS
  if (timeoutMs < 0 || timeoutMs > MAX_TIMEOUT_MS)
    throw invalidArgument(`timeout_micros: expected 0 to ${MAX_TIMEOUT_MS}000`)
  const method = request.method || 'GET'
  if (!isToken(method) || method === 'CONNECT')
    throw invalidArgument(`method: ${JSON.stringify(method.slice(0, 40))} is not supported`)
  const message = request.message ?? ''
  if (message.length > MAX_MESSAGE) throw invalidArgument(`message: expected at most ${MAX_MESSAGE} characters`)
  const { headers, host } = readHeaders(request.headers ?? [])
  return {
    count,
    intervalMs: qps === 0 ? 0 : 1000 / qps,
    timeoutMs,
    target: readTarget(request.url ?? ''),
    headers,
    host,
    message,
    method,
    isHttp2: request.http2 ?? false,
    serverFirst: request.serverFirst ?? false,
    followsRedirects: request.followRedirects ?? false,
    isNewConnection: request.newConnectionPerRequest ?? false,
    expected: request.expectedResponse?.value ?? null,
    proxyVersion: request.proxyProtocolVersion === 'V1' ? 1 : request.proxyProtocolVersion === 'V2' ? 2 : null,
    family: readFamily(request.force_ip_family ?? ''),
    tls: {
      cert: request.cert || null,
      key: request.key || null,
      ca: request.caCert || null,
      alpn: request.alpn?.value ?? null,
      serverName: request.serverName || null,
      isUnverified: request.insecureSkipVerify ?? false,
    },
  }
}

function readHeaders(given: NonNullable<ForwardEchoRequest['headers']>): Pick<ForwardPlan, 'headers' | 'host'> {
  if (given.length > MAX_HEADERS) throw invalidArgument(`headers: expected at most ${MAX_HEADERS}`)
  const headers: [string, string][] = []
  let host: string | null = null
  for (const { key = '', value = '' } of given) {
    if (!isToken(key) || !PRINTABLE.test(value) || OWN_HEADERS.has(key.toLowerCase()))
      throw invalidArgument(`headers: ${JSON.stringify(key.slice(0, 100))} can't be set`)
    if (key.toLowerCase() === 'host') host = value
    else headers.push([key, value])
  }
  return { headers, host }
}

function readFamily(text: string): 4 | 6 | null {
  if (text === '') return null
  if (text === 'tcp4' || text === 'tcp6') return text === 'tcp4' ? 4 : 6
  throw invalidArgument('force_ip_family: expected tcp4 or tcp6')
}

/** Reads a URL without normalizing its path. Throws INVALID_ARGUMENT. */
export function readTarget(text: string): NamedTarget {
  const found = /^([a-z]+):\/\/(\[[\da-f:.]{2,45}\]|[\w.-]{1,253})(?::(\d{1,5}))?(\/[!-~]*)?$/i.exec(
    text.slice(0, 8192),
  )
  const scheme = SCHEMES.find(known => known === found?.[1]?.toLowerCase())
  if (found === null || scheme === undefined || text.length > 8192)
    throw invalidArgument(`url: expected <scheme>://<host>:<port>/<path> with one of ${SCHEMES.join(', ')}`)
  const [, , host = '', portText, path = '/'] = found
  const port = portText === undefined ? DEFAULT_PORTS[scheme] : Number(portText)
  if (port === undefined || port < 1 || port > 65_535) throw invalidArgument('url: expected a port from 1 to 65535')
  if (path.includes('#')) throw invalidArgument('url: expected no fragment')
  return {
    scheme,
    host: canonicalHost(host),
    port,
    authority: portText === undefined ? host : `${host}:${portText}`,
    path,
    url: text,
  }
}

/** IPv6 addresses in their one spelling. */
function canonicalHost(host: string): string {
  if (!host.startsWith('[')) return host.toLowerCase()
  const url = `http://${host}/`
  if (!URL.canParse(url)) throw invalidArgument('url: expected an IPv6 address in brackets')
  return new URL(url).hostname.slice(1, -1)
}
