/** The mock of Azure-Samples' gateways for Azure OpenAI: the first message says how each backend responds. */
import type { JsonObject } from 'svc/plugin'
import { isRecord } from 'svc/toolkit'
import type { Call, Server } from '../request/call.ts'
import { jsonObject } from '../request/json-object.ts'

const PATH = /^\/openai\/deployments\/[^/]+\/chat\/completions$/

interface Simulation {
  status: number
  waitMs: number
}

/** The values of the host come before those of `default`, each alone. Null without a directive. */
function readSimulation(body: JsonObject, host: string): Simulation | null {
  const { messages } = body
  const first: unknown = Array.isArray(messages) ? messages[0] : undefined
  const content = isRecord(first) ? first.content : undefined
  const directive = typeof content === 'string' ? jsonObject(content) : isRecord(content) ? content : null
  const simulation = directive?.simulation
  if (!isRecord(simulation)) return null
  const valueOf = (name: string): unknown =>
    [simulation[host], simulation.default]
      .map(entry => (isRecord(entry) ? entry[name] : undefined))
      .find(value => value !== undefined)
  const status = valueOf('response_status_code')
  const waitMs = valueOf('wait_time_ms')
  return {
    status: typeof status === 'number' && Number.isInteger(status) && status >= 200 && status <= 599 ? status : 200,
    waitMs: typeof waitMs === 'number' && waitMs > 0 ? waitMs : 0,
  }
}

const ERRORS: Readonly<Record<number, string>> = {
  429: 'Rate limit is exceeded. Try again in 5 seconds.',
  500: 'Internal server error',
  503: 'The engine is currently overloaded, please try again later',
}

async function complete(call: Call): Promise<unknown> {
  const host = call.svc.http.origin(call.request).host
  call.reply.raw.setHeader('x-ms-region', host)
  const body = jsonObject(call.body.toString())
  if (body === null) return call.json({ message: 'No JSON data found in the request' }, 400)
  const simulation = readSimulation(body, host)
  if (simulation === null) return call.json({ message: 'No simulation found in the first message' }, 400)
  const { status, waitMs } = simulation
  if (!(await call.wait(waitMs))) return call.reply
  if (status >= 400) {
    const known = ERRORS[status]
    if (status === 429) call.reply.raw.setHeader('retry_after_ms', '5000')
    const error =
      known === undefined ? { code: status, message: 'Unknown error' } : { code: `${status}`, message: known }
    return call.json({ error }, status)
  }
  call.reply.raw.setHeader('x-ratelimit-remaining-tokens', '5000')
  call.reply.raw.setHeader('x-ratelimit-remaining-requests', '50')
  return call.json(
    {
      id: 'foo',
      object: 'chat.completion',
      created: Math.floor(Date.now() / 1000),
      model: call.path.split('/')[3] ?? '',
      choices: [
        { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: `Mock response from ${host}` } },
      ],
      usage: null,
    },
    status,
  )
}

export const AZURE_MOCK: Server = {
  name: 'azure-mock',
  title: 'Azure OpenAI mock',
  summary: 'Statuses and delays by backend, as the first message asks',
  example: '/',
  mediaTypes: ['application/json'],
  handle(call) {
    if (call.path === '/') return call.json({ message: 'POST /openai/deployments/{deployment}/chat/completions' })
    if (!PATH.test(call.path)) return call.json({ message: 'Not Found' }, 404)
    return call.method === 'POST' ? complete(call) : call.json({ message: 'Method Not Allowed' }, 405)
  },
}
