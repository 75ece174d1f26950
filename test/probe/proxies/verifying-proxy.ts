/** A small proxy with routes: one that needs an access token, and ones that lead to the upstream over TLS. */
import { createHmac, createPublicKey, verify, type JsonWebKey } from 'node:crypto'
import { createServer, request as requestHttp, type IncomingMessage, type ServerResponse } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { AddressInfo } from 'node:net'
import { isRecord } from '../../../core/contract/record.ts'
import type { ProxyServer } from './reference-proxy.ts'

/** What the wrong proxy does differently. */
export interface VerifierFault {
  /** What is not checked of a token. */
  ignores?: readonly ('signature' | 'expiry' | 'audience' | 'issuer' | 'algorithm' | 'key')[]
  /** Uses the public key as the secret of HMAC. */
  confusesKeys?: boolean
  /** Reads the keys once. */
  keepsKeys?: boolean
  /** Accepts any certificate of the upstream. */
  acceptsCertificates?: boolean
}

interface Upstream {
  url: string
  ports: { http: number | null; https: number | null }
}

type Key = JsonWebKey & { kid?: string }

export async function startVerifyingProxy(upstream: Upstream, fault: VerifierFault = {}): Promise<ProxyServer> {
  const keysOf = async (): Promise<Key[]> =>
    ((await (await fetch(`${upstream.url}/oauth/jwks`)).json()) as { keys: Key[] }).keys
  const ca = await (await fetch(`${upstream.url}/tls/ca.pem`)).text()
  let keys = await keysOf()
  const isAccepted = async (token: string): Promise<boolean> => {
    if (isValid(token, keys, upstream.url, fault)) return true
    if (fault.keepsKeys === true) return false
    keys = await keysOf()
    return isValid(token, keys, upstream.url, fault)
  }
  const server = createServer((request, response) => {
    void (async () => {
      const [, route = '', rest = ''] = /^\/(api|tls-[a-z-]+)(\/.*)$/.exec(request.url ?? '') ?? []
      const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
      if (route === 'api' && !(await isAccepted(token))) return void response.writeHead(401).end('no')
      forward(request, response, {
        path: route === '' ? request.url! : rest,
        kind: route.slice(4),
        upstream,
        ca,
        fault,
      })
    })()
  })
  const port = await new Promise<number>(resolve =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
  )
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function forward(
  incoming: IncomingMessage,
  response: ServerResponse,
  {
    path,
    kind,
    upstream,
    ca,
    fault,
  }: { path: string; kind: string; upstream: Upstream; ca: string; fault: VerifierFault },
): void {
  const { connection: _, ...headers } = incoming.headers
  const common = { host: '127.0.0.1', method: incoming.method, path, headers: { ...headers, via: '1.1 verifying' } }
  const sent =
    kind === ''
      ? requestHttp({ ...common, port: upstream.ports.http })
      : requestHttps({
          ...common,
          agent: false,
          port: upstream.ports.https,
          servername: `${kind}.tls.localhost`,
          ca,
          rejectUnauthorized: fault.acceptsCertificates !== true,
        })
  sent.on('response', answer => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  sent.on('error', () => response.writeHead(502).end('the upstream failed'))
  incoming.pipe(sent)
}

function isValid(token: string, keys: readonly Key[], issuer: string, fault: VerifierFault): boolean {
  const [head = '', payload = '', signature = ''] = token.split('.')
  const header = read(head)
  const claims = read(payload)
  if (header === null || claims === null) return false
  const ignores = (what: NonNullable<VerifierFault['ignores']>[number]): boolean =>
    fault.ignores?.includes(what) === true
  if (!ignores('expiry') && !(Number(claims.exp) > Date.now() / 1000)) return false
  if (!ignores('audience') && ![claims.aud].flat().includes('svc')) return false
  if (!ignores('issuer') && claims.iss !== issuer) return false
  if (ignores('signature'))
    return header.alg !== 'none' && !isHmac(header) && keys.some(({ kid }) => kid === header.kid)
  if (header.alg === 'none') return ignores('algorithm')
  const key = keys.find(({ kid }) => kid === header.kid)
  if (key === undefined) return ignores('key')
  const data = Buffer.from(`${head}.${payload}`)
  const publicKey = createPublicKey({ key, format: 'jwk' })
  if (isHmac(header)) {
    const secret = publicKey.export({ type: 'spki', format: 'pem' })
    return fault.confusesKeys === true && createHmac('sha256', secret).update(data).digest('base64url') === signature
  }
  return verify('sha256', data, publicKey, Buffer.from(signature, 'base64url'))
}

function isHmac({ alg }: Record<string, unknown>): boolean {
  return String(alg).startsWith('HS')
}

function read(part: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString())
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}
