/**
 * A small gateway that asks svc as authorization service, rate-limit service and external processor, and reports to it. Wrong
 * gateways are this one with one fault.
 */
import { createServer } from 'node:http'
import { randomBytes } from 'node:crypto'
import {
  exchange,
  pairsOf,
  valueOf,
  withField,
  withoutFraming,
  type Fields,
  type Message,
  type Reply,
} from './messages.ts'
import { Processing, type ProcessorFaults } from './processor.ts'

export interface ToyFaults extends ProcessorFaults {
  /** What it does at all. Default: everything. */
  only?: 'authz' | 'ratelimit' | 'proc' | 'report' | 'nothing'
  forwardsDenied?: boolean
  /** The client's fields about who it is are forwarded. */
  keepsIdentity?: boolean
  /** Asks about the decoded path. */
  asksDecoded?: boolean
  /** Does not wait for a slow authorization service: from the second request of AUTHZ-SLOW on, so that a busy machine changes nothing. */
  isImpatient?: boolean
  failsOpen?: boolean
  forwardsOver?: boolean
  dropsFields?: boolean
  countsTwice?: boolean
  blamesClient?: boolean
  /** Long bodies lose their last byte. */
  losesBytes?: boolean
  processesOpen?: boolean
  reportsTwice?: boolean
  /** In all reports. */
  reportedStatus?: number
  makesIds?: boolean
  hidesRepeats?: boolean
  reportsCredentials?: boolean
}

export interface ToyOptions {
  /** Ports of svc. */
  http: number
  grpc: number
  faults?: ToyFaults
}

const PATIENCE_MS = 3_000
const IMPATIENT_MS = 150
const UPSTREAM_MS = 20_000
const IDENTITY = ['x-svc-user', 'x-svc-tenant', 'x-svc-scopes']
const LONG = 100_000
const NOTHING = Buffer.alloc(0)

const plain = (status: number, text: string): Reply => ({
  status,
  fields: [['Content-Type', 'text/plain']],
  body: Buffer.from(text),
})

export async function startToyGateway(options: ToyOptions): Promise<{ url: string; close(): Promise<void> }> {
  const toy = new ToyGateway(options)
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method, url: target, rawHeaders } = request
      const message = { method: method!, target: target!, fields: pairsOf(rawHeaders), body: Buffer.concat(chunks) }
      void toy
        .serve(message)
        .catch(() => plain(502, 'bad gateway'))
        .then(({ status, fields, body }) => {
          response.writeHead(status, [...fields, ['Content-Length', String(body.length)]].flat())
          response.end(body)
        })
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    close: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

class ToyGateway {
  readonly #options: ToyOptions
  readonly #faults: ToyFaults
  /** Requests of AUTHZ-SLOW. */
  #slow = 0

  constructor(options: ToyOptions) {
    this.#options = options
    this.#faults = options.faults ?? {}
  }

  #does(what: 'authz' | 'ratelimit' | 'proc' | 'report'): boolean {
    const { only } = this.#faults
    return only === undefined || only === what
  }

  async serve(message: Message): Promise<Reply> {
    const requestId = valueOf(message.fields, 'x-request-id') ?? randomBytes(8).toString('hex')
    const own = { ...message, fields: withField(message.fields, 'X-Request-Id', requestId) }
    let attempts = 0
    const reply = await this.#refusalOrReply(own, async forwarded => {
      for (;;) {
        attempts++
        try {
          return await exchange(this.#options.http, forwarded, UPSTREAM_MS)
        } catch (error) {
          if (forwarded.method !== 'GET' || attempts === 2) throw error
        }
      }
    }).catch(() => plain(502, 'bad gateway'))
    if (this.#does('report')) await this.#report(own, { reply, attempts, requestId })
    return reply
  }

  async #refusalOrReply(message: Message, forward: (message: Message) => Promise<Reply>): Promise<Reply> {
    const allowed = this.#does('authz') ? await this.#authorize(message) : { message }
    if ('refusal' in allowed) return allowed.refusal
    const limited = this.#does('ratelimit') ? await this.#limit(message) : { fields: [] }
    if ('refusal' in limited) return limited.refusal
    const reply = this.#does('proc') ? await this.#process(allowed.message, forward) : await forward(allowed.message)
    return { ...reply, fields: [...reply.fields, ...limited.fields] }
  }

  async #authorize(message: Message): Promise<{ message: Message } | { refusal: Reply }> {
    const { keepsIdentity, asksDecoded, isImpatient, failsOpen, forwardsDenied } = this.#faults
    if (message.target.includes('/authz-slow/')) this.#slow++
    const patienceMs =
      isImpatient === true && this.#slow > 1 && message.target.includes('/authz-slow/') ? IMPATIENT_MS : PATIENCE_MS
    const withoutIdentity = message.fields.filter(([name]) => !IDENTITY.includes(name.toLowerCase()))
    const asked = {
      method: 'GET',
      target: '/ext-authz/allow',
      fields: [
        ...message.fields,
        ['X-Forwarded-Method', message.method],
        ['X-Forwarded-Uri', asksDecoded === true ? decodeURI(message.target).replace('%2F', '/') : message.target],
      ] as Fields,
      body: NOTHING,
    }
    let decision: Reply
    try {
      decision = await exchange(this.#options.http, asked, patienceMs)
    } catch {
      decision = plain(503, 'no decision')
    }
    const added = decision.fields.filter(([name]) => IDENTITY.includes(name.toLowerCase()))
    const rest = keepsIdentity === true ? message.fields : withoutIdentity
    const forwarded = {
      ...message,
      fields: added.reduce((fields, [name, value]) => withField(fields, name, value), rest),
    }
    if (decision.status < 300 || (decision.status >= 500 && failsOpen === true)) return { message: forwarded }
    if (decision.status < 500 && forwardsDenied === true) return { message: forwarded }
    return { refusal: decision.status >= 500 ? plain(403, 'no decision') : decision }
  }

  async #limit({ target }: Message): Promise<{ fields: Fields } | { refusal: Reply }> {
    const { countsTwice, forwardsOver, dropsFields, blamesClient } = this.#faults
    const entries = [
      { key: 'path', value: target.split('?', 1)[0] },
      { key: 'svc_limit', value: '100000/60s' },
    ]
    const asked = {
      method: 'POST',
      target: '/rate-limit/json',
      fields: [['Content-Type', 'application/json']] as Fields,
      body: Buffer.from(JSON.stringify({ domain: 'toy', descriptors: [{ entries }] })),
    }
    const ask = (): Promise<Reply | null> => exchange(this.#options.http, asked, PATIENCE_MS).catch(() => null)
    if (countsTwice === true) await ask()
    const answer = await ask()
    if (answer === null || answer.status >= 500)
      return blamesClient === true ? { refusal: plain(429, 'too many') } : { fields: [] }
    const { responseHeadersToAdd = [] } = JSON.parse(answer.body.toString()) as {
      responseHeadersToAdd?: { key: string; value: string }[]
    }
    const fields =
      dropsFields === true ? [] : responseHeadersToAdd.map(({ key, value }): Fields[number] => [key, value])
    if (answer.status !== 429 || forwardsOver === true) return { fields }
    const { body } = plain(429, 'too many')
    return { refusal: { status: 429, fields, body } }
  }

  async #process(message: Message, forward: (message: Message) => Promise<Reply>): Promise<Reply> {
    const { losesBytes, processesOpen } = this.#faults
    const cut = (body: Buffer): Buffer => (losesBytes === true && body.length > LONG ? body.subarray(1) : body)
    const processing = new Processing(this.#options.grpc, this.#faults, PATIENCE_MS)
    try {
      const asked = await processing.request({ ...message, fields: withoutFraming(message.fields) }).catch(() => null)
      if (asked === null) return processesOpen === true ? await forward(message) : plain(500, 'not processed')
      if ('answer' in asked) return asked.answer
      const reply = await forward({ ...asked.forward, body: cut(asked.forward.body) })
      return await processing.response({ ...reply, body: cut(reply.body) })
    } finally {
      processing.end()
    }
  }

  async #report(
    { method, target, fields }: Message,
    { reply, attempts, requestId }: { reply: Reply; attempts: number; requestId: string },
  ): Promise<void> {
    const { reportsTwice, reportedStatus, makesIds, hidesRepeats, reportsCredentials } = this.#faults
    const [, traceId] = /^00-([\da-f]{32})-/.exec(valueOf(fields, 'traceparent') ?? '') ?? []
    const log = {
      method,
      path: target.split('?', 1)[0],
      status: reportedStatus ?? reply.status,
      request_id: makesIds === true ? 'another' : requestId,
      attempts: hidesRepeats === true ? 1 : attempts,
      ...(reportsCredentials === true ? { headers: Object.fromEntries(fields) } : {}),
    }
    const send = (path: string, value: unknown): Promise<Reply> =>
      exchange(
        this.#options.http,
        {
          method: 'POST',
          target: path,
          fields: [['Content-Type', 'application/json']],
          body: Buffer.from(JSON.stringify(value)),
        },
        UPSTREAM_MS,
      )
    await send('/logs', log)
    if (reportsTwice === true) await send('/logs', log)
    await send('/otlp/v1/traces', spanOf(log, traceId ?? randomBytes(16).toString('hex')))
  }
}

/** A span of the kind `server`. */
function spanOf(
  { method, path, status }: { method: string; path: string | undefined; status: number },
  traceId: string,
) {
  const now = `${BigInt(Date.now()) * 1_000_000n}`
  const attributes = [
    { key: 'http.request.method', value: { stringValue: method } },
    { key: 'url.path', value: { stringValue: path } },
    { key: 'http.response.status_code', value: { intValue: String(status) } },
  ]
  const span = {
    traceId,
    spanId: randomBytes(8).toString('hex'),
    name: method,
    kind: 2,
    startTimeUnixNano: now,
    endTimeUnixNano: now,
    attributes,
  }
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'toy' } }] }
  return { resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }] }
}
