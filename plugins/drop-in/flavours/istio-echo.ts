/** The echo server of Istio's integration tests, over HTTP. */
import { X509Certificate } from 'node:crypto'
import { connectionTls, parseGoDuration } from 'svc/toolkit'
import type { Call, Server } from '../request/call.ts'
import { sorted } from '../request/go-header.ts'

/** What the client asks for, in the query or in a form. */
class Parameters {
  readonly #call: Call
  readonly #form: URLSearchParams

  constructor(call: Call) {
    this.#call = call
    const isForm = /^application\/x-www-form-urlencoded\b/i.test(call.request.headers['content-type'] ?? '')
    this.#form = new URLSearchParams(isForm ? call.body.toString() : '')
  }

  /** A form comes before the query, as in Go. */
  get(name: string): string {
    return this.#form.get(name) ?? this.#call.query.get(name) ?? ''
  }
}

/** Picks a status: `500:90,200:10` are weights. Throws a text. */
function chooseStatus(codes: string): number {
  const weighted = codes.split(',').map(part => {
    const [code = '', weight = '1', ...rest] = part.split(':')
    const isRight = rest.length === 0 && /^\d{3}$/.test(code) && /^\d{1,6}$/.test(weight)
    if (!isRight || Number(code) < 200 || Number(code) > 599) throw new Error(`invalid ${JSON.stringify(part)}`)
    return { code: Number(code), weight: Number(weight) }
  })
  const total = weighted.reduce((sum, { weight }) => sum + weight, 0)
  if (total === 0) return 400
  let left = Math.random() * total
  for (const { code, weight } of weighted) if ((left -= weight) < 0) return code
  return weighted.at(-1)!.code
}

function describeRequest(call: Call): string[] {
  const { settings, request } = call
  const tls = connectionTls(request.socket)
  const proxy = call.svc.http.proxyHeader(request)
  const own = (name: string, value: string | undefined): string[] => (value ? [`${name}=${value}`] : [])
  const certificate = tls?.certificates[0] === undefined ? null : new X509Certificate(tls.certificates[0])
  return [
    `ServiceVersion=${settings.version ?? ''}`,
    `ServicePort=${call.port}`,
    `Host=${call.host}`,
    `URL=${call.target}`,
    ...own('Cluster', settings.cluster),
    ...own('IstioVersion', settings.istio_version),
    ...own('Namespace', settings.namespace),
    `Method=${call.method}`,
    `Proto=${call.protocol}`,
    `IP=${call.svc.http.clientIp(request)}`,
    ...own('Alpn', tls?.protocol),
    ...own('Sni', tls?.serverName),
    ...own('ClientCertSubject', certificate?.subject.split('\n').toReversed().join(',')),
    ...own(
      'ClientCertSerialNumber',
      certificate === null ? undefined : BigInt(`0x${certificate.serialNumber}`).toString(),
    ),
    ...own('ProxyProtocol', proxy === null ? undefined : String(proxy.version)),
    ...sorted(call.header).flatMap(([name, values]) => values.map(value => `RequestHeader=${name}:${value}`)),
    `Hostname=${call.hostname}`,
  ]
}

/** `name:value` pairs, each with one colon. Throws a text. */
function wantedHeaders(text: string): [string, string][] {
  return text.split(',').map(part => {
    const pieces = part.split(':')
    if (pieces.length !== 2) throw new Error(`invalid ${JSON.stringify(part)} (want name:value)`)
    return [pieces[0]!, pieces[1]!]
  })
}

export const ISTIO_ECHO: Server = {
  name: 'istio-echo',
  title: "Istio's echo",
  summary: 'The request as lines of names and values',
  example: '/?codes=200',
  mediaTypes: ['text/plain'],
  async handle(call) {
    const parameters = new Parameters(call)
    const problems: string[] = []
    const attempt = <T>(what: string, value: string, read: (value: string) => T): T | undefined => {
      if (value === '') return undefined
      try {
        return read(value)
      } catch (error) {
        problems.push(`${what}: ${(error as Error).message}`)
        return undefined
      }
    }
    const delay = attempt('error delaying response error', parameters.get('delay').slice(0, 200), text => {
      const ms = parseGoDuration(text)
      if (ms === null) throw new Error(`time: invalid duration ${JSON.stringify(text)}`)
      return ms
    })
    if (!(await call.wait(delay ?? 0))) return call.reply
    const headers = attempt('response headers error', parameters.get('headers'), wantedHeaders)
    const status = attempt('codes error', parameters.get('codes'), chooseStatus)
    call.setChosen(headers ?? [])
    const body = [...problems, ...describeRequest(call)].map(line => `${line}\n`).join('')
    const type = problems.length > 0 ? 'application/text' : 'text/plain; charset=utf-8'
    return call.send(type, body, problems.length > 0 ? 200 : (status ?? 200))
  },
  socket: {
    takes: () => true,
    open(socket, call) {
      socket.once('message', (message: Buffer) => {
        const lines = [...describeRequest(call), message.toString(), 'StatusCode=200']
        socket.send(lines.map(line => `${line}\n`).join(''), () => socket.close(1000))
      })
    },
  },
}
