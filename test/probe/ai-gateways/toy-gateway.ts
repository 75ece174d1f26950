/** A gateway of models that translates by the neutral form, and keeps every rule unless a fault says otherwise. */
import { createServer, request as requestHttp, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WIRES, wireOf } from '../../../plugins/probe/wires/wires.ts'
import type { Reply, Request, Wire, WireAnswer } from '../../../plugins/probe/wires/types.ts'
import { afterFallback, type Features } from './features.ts'
import { guardedReply, guardedRequest, type Guard } from './guard.ts'
import { REPLY_WRITERS } from './replies.ts'

/** What one wrong gateway does; data, so that others are added as rows. */
export interface GatewayFault {
  request?(request: Request): Request
  reply?(reply: Reply, isStream: boolean): Reply
}

export interface ToyOptions {
  upstream: string
  /** The upstream wire of each model. */
  models: Readonly<Record<string, string>>
  fault?: GatewayFault
  guard?: Guard
  features?: Features
}

export interface ToyGateway {
  url: string
  close(): Promise<void>
}

const MODEL = /"model"\s*:\s*"([^"]*)"/

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** As far as they came. */
async function partsOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of message) chunks.push(chunk as Buffer)
  } catch {
    // The connection broke off.
  }
  return Buffer.concat(chunks)
}

function send(url: string, method: string, fields: Record<string, string>, body: Buffer): Promise<WireAnswer> {
  return new Promise((resolve, reject) => {
    const headers = { ...fields, 'Content-Length': String(body.length) }
    const sent = requestHttp(url, { method, agent: false, headers }, response => {
      void partsOf(response).then(read =>
        resolve({
          status: response.statusCode ?? 0,
          fields: Object.entries(response.headers).map(([name, value]) => [name, String(value)] as const),
          body: read,
          isComplete: response.complete,
        }),
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Client wires are at `/openai/v1` and `/anthropic`, as svc has them below `/ai`. */
export async function startToyGateway({
  upstream,
  models,
  fault = {},
  guard,
  features = {},
}: ToyOptions): Promise<ToyGateway> {
  const cache = new Map<string, Forwarded>()
  /** Null: the upstream closed the connection. */
  const attempted = async (request: Request, to: Wire, model: string): Promise<Forwarded | null> => {
    const forwarded = (): Promise<Forwarded | null> =>
      forward(to, request, model, { upstream, keepsCoding: features.keepsCoding === true }).catch(() => null)
    const first = await forwarded()
    const isBroken = first === null || first.reply === null || !first.parts.isComplete
    if (features.fallback === undefined || !isBroken) return first
    const second = await forwarded()
    if (second?.reply == null) return second
    return { ...second, reply: afterFallback(first?.reply ?? null, second.reply, features.fallback) }
  }
  const serve = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET', url = '/' } = message
    const answer = (status: number, type: string, body: string, more: Record<string, string> = {}): void => {
      response.writeHead(status, { 'Content-Type': type, Server: 'toy', ...more })
      response.end(body)
    }
    if (method === 'GET' && url.endsWith('/models'))
      return answer(200, 'application/json', JSON.stringify({ data: Object.keys(models).map(id => ({ id })) }))
    const body = await bodyOf(message)
    const client = wireOf(WIRES, method, url)
    const model = MODEL.exec(body.toString())?.[1] ?? ''
    const writer = client === null ? undefined : REPLY_WRITERS[client.wire.id]
    const to = WIRES.find(({ id }) => id === models[model])
    if (client === null || client.operation !== 'generate' || writer === undefined || to === undefined)
      return answer(404, 'application/json', JSON.stringify({ error: { message: 'no such route', type: 'not_found' } }))
    const fields = Object.entries(message.headers).map(([name, value]) => [name, String(value)] as const)
    const request = client.wire.readRequest({ method, path: url, fields, body })
    const stop = (): void =>
      answer(400, 'application/json', JSON.stringify({ error: { message: 'stopped', type: 'invalid_request_error' } }))
    const allowed = guard === undefined ? request : await guardedRequest(request, client.wire.id, guard)
    if (allowed === null) return stop()
    const passed = fault.request?.(allowed) ?? allowed
    const credential = String(message.headers.authorization ?? message.headers['x-api-key'] ?? '')
    const key = features.cache?.key(request, credential)
    const known = key === undefined ? undefined : cache.get(key)
    const found = known ?? (await attempted(passed, to, model))
    if (found === null) return void response.destroy()
    const { parts, reply: whole, error, events } = found
    if (key !== undefined && whole !== null) cache.set(key, found)
    const reply = whole !== null && guard !== undefined ? guardedReply(whole, events, guard) : whole
    if (whole !== null && reply === null) return stop()
    if (reply === null) return answer(parts.status, 'application/json', error)
    const named = withIds(reply)
    const losesUsage = known !== undefined && features.cache?.losesUsage === true
    const changed = losesUsage ? { ...named, usage: null } : (fault.reply?.(named, request.stream) ?? named)
    const written = request.stream ? writer.stream(changed, model) : writer.whole(changed, model)
    const cost = reply.usage === null ? undefined : features.cost?.(reply.usage)
    answer(200, written.type, written.body, cost === undefined ? {} : { 'x-cost': String(cost) })
  }
  const server = createServer((message, response) => {
    serve(message, response).catch(() => response.destroy())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Gemini gives calls no ids; clients of other wires need them. */
function withIds(reply: Reply): Reply {
  const parts = reply.parts.map((part, index) =>
    part.type === 'call' ? { ...part, id: part.id ?? `call_toy_${index}` } : part,
  )
  return { ...reply, parts }
}

interface Forwarded {
  parts: WireAnswer
  reply: Reply | null
  error: string
  events: string[]
}

async function forward(
  to: Wire,
  request: Request,
  model: string,
  { upstream, keepsCoding }: { upstream: string; keepsCoding: boolean },
): Promise<Forwarded> {
  const { method, path, fields, body } = to.writeRequest(request, {
    model,
    stream: request.stream,
    marks: 'prompt_cache_breakpoint',
  })
  const own = Object.fromEntries([...fields, ...to.credentials('toy-key')])
  if (keepsCoding) own['accept-encoding'] = 'gzip'
  const parts = await send(`${upstream}${to.base}${path}`, method, own, body)
  const found = to.readError(parts)
  if (found !== null)
    return { parts, reply: null, error: JSON.stringify({ error: { message: found.message } }), events: [] }
  if (!request.stream) return { parts, reply: to.readReply(parts), error: '', events: [] }
  const { reply, events } = to.readStream(parts)
  return { parts, reply, error: '', events: events.map(({ data }) => data) }
}
