/** A gateway of models that translates by the neutral form, and keeps every rule unless a fault says otherwise. */
import { createServer, request as requestHttp, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WIRES, wireOf } from '../../../plugins/probe/wires/wires.ts'
import type { Reply, Request, Wire, WireAnswer } from '../../../plugins/probe/wires/types.ts'
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

function send(url: string, method: string, fields: Record<string, string>, body: Buffer): Promise<WireAnswer> {
  return new Promise((resolve, reject) => {
    const headers = { ...fields, 'Content-Length': String(body.length) }
    const sent = requestHttp(url, { method, agent: false, headers }, response => {
      bodyOf(response).then(
        read =>
          resolve({
            status: response.statusCode ?? 0,
            fields: Object.entries(response.headers).map(([name, value]) => [name, String(value)] as const),
            body: read,
            isComplete: response.complete,
          }),
        reject,
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Client wires are at `/openai/v1` and `/anthropic`, as svc has them below `/ai`. */
export async function startToyGateway({ upstream, models, fault = {} }: ToyOptions): Promise<ToyGateway> {
  const serve = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET', url = '/' } = message
    const answer = (status: number, type: string, body: string): void => {
      response.writeHead(status, { 'Content-Type': type, Server: 'toy' })
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
    const passed = fault.request?.(request) ?? request
    const { parts, reply, error } = await forward(to, passed, model, upstream)
    if (reply === null) return answer(parts.status, 'application/json', error)
    const named = withIds(reply)
    const changed = fault.reply?.(named, request.stream) ?? named
    const written = request.stream ? writer.stream(changed, model) : writer.whole(changed, model)
    answer(200, written.type, written.body)
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

async function forward(
  to: Wire,
  request: Request,
  model: string,
  upstream: string,
): Promise<{ parts: WireAnswer; reply: Reply | null; error: string }> {
  const { method, path, fields, body } = to.writeRequest(request, {
    model,
    stream: request.stream,
    marks: 'prompt_cache_breakpoint',
  })
  const own = Object.fromEntries([...fields, ...to.credentials('toy-key')])
  const parts = await send(`${upstream}${to.base}${path}`, method, own, body)
  const found = to.readError(parts)
  if (found !== null) return { parts, reply: null, error: JSON.stringify({ error: { message: found.message } }) }
  return { parts, reply: request.stream ? to.readStream(parts).reply : to.readReply(parts), error: '' }
}
