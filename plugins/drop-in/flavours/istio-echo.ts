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

/** Picks a status: `500:90,200:10` are weights. Throws the text of the original. */
function chooseStatus(codes: string): number {
  const weighted = codes.split(',').map(part => {
    const [code = '', weight = '1', ...rest] = part.split(':')
    if (rest.length > 0) throw new Error(`invalid ${JSON.stringify(part)} (want code or code:count)`)
    const status = readInteger(code)
    if (status < 200 || status > 599) throw new Error(`invalid HTTP response code ${status}`)
    const count = readInteger(weight)
    if (count < 0) throw new Error(`invalid count ${count}`)
    return { status, count }
  })
  const total = weighted.reduce((sum, { count }) => sum + count, 0)
  // The original panics.
  if (total === 0) return 400
  let left = Math.random() * total
  for (const { status, count } of weighted) if ((left -= count) < 0) return status
  return weighted.at(-1)!.status
}

/** As Go's `strconv.Atoi`. */
function readInteger(text: string): number {
  if (!/^[+-]?\d{1,15}$/.test(text)) throw new Error(`strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`)
  return Number(text)
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

/** Sets `name:value` pairs, up to the first without exactly one colon. Throws the text of the original. */
function setHeaders(call: Call, text: string): void {
  const parts = text.split(',').map(part => part.split(':'))
  const wrong = parts.findIndex(pieces => pieces.length !== 2)
  const right = wrong === -1 ? parts : parts.slice(0, wrong)
  call.setChosen(right.map(([name, value]) => [name!, value!] as const))
  if (wrong !== -1) throw new Error(`invalid ${JSON.stringify(parts[wrong]!.join(':'))} (want name:value)`)
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
    attempt('response headers error', parameters.get('headers'), text => setHeaders(call, text))
    const codes = parameters.get('codes')
    const status = codes === '' ? 200 : attempt('codes error', codes, chooseStatus)
    const body = [...problems, ...describeRequest(call)].map(line => `${line}\n`).join('')
    // Go finds the type in the body, unless the status could not be read: then none has been sent before the type is set.
    return call.send(status === undefined ? 'application/text' : 'text/plain; charset=utf-8', body, status ?? 200)
  },
  socket: {
    paths: ['*'],
    plainStatus: 200,
    open(socket, call) {
      socket.once('message', (message: Buffer, isBinary: boolean) => {
        const lines = describeRequest(call).map(line => `${line}\n`)
        // The original adds no line break to the message.
        const body = Buffer.concat([Buffer.from(lines.join('')), message, Buffer.from('StatusCode=200\n')])
        socket.send(body, { binary: isBinary }, () => socket.close(1000))
      })
    },
  },
}
