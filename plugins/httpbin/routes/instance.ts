/** What go-httpbin says about its process, and trailers. */
import { headerProblem } from 'svc/toolkit'
import type { Call } from '../call.ts'
import { Failure } from '../failure.ts'
import type { Operation } from '../operation.ts'
import { goJson } from '../response/json.ts'

const MAX_TRAILERS = 20
/** Fields that must be sent before the body. */
const FORBIDDEN = new Set([
  'authorization',
  'cache-control',
  'content-encoding',
  'content-range',
  'content-type',
  'max-forwards',
  'set-cookie',
])

async function sendTrailers(call: Call): Promise<unknown> {
  const fields = [...call.query].map(([name, values]): [string, string] => [name, values.at(-1)!])
  if (fields.length > MAX_TRAILERS) throw new Failure(400, `too many trailers: at most ${MAX_TRAILERS}`)
  for (const [name, value] of fields)
    if (FORBIDDEN.has(name.toLowerCase()) || headerProblem(name, value) !== null)
      throw new Failure(400, `forbidden trailer: ${name}`)
  const facts = goJson(
    await call.describeRequest(['args', 'headers', 'method', 'origin', 'url', 'data', 'files', 'form', 'json']),
  )
  const canFollow = call.request.method !== 'HEAD' && call.request.raw.httpVersion !== '1.0'
  if (canFollow && fields.length > 0) call.reply.header('Trailer', fields.map(([name]) => name).join(', '))
  const stream = call.svc.streams.body(
    call.request,
    call.reply.header('Content-Type', 'application/json; charset=utf-8'),
  )
  if (stream === null) return call.reply
  stream.write(facts)
  if (canFollow) call.reply.raw.addTrailers(Object.fromEntries(fields))
  stream.end()
  return call.reply
}

const fact = (path: string, summary: string, value: (call: Call) => object): Operation => ({
  path,
  summary,
  methods: { httpbin: null },
  atRoot: true,
  examples: [{ name: 'Fact', path }],
  handle: call => call.json(value(call)),
})

export const INSTANCE: readonly Operation[] = [
  // Nothing of the process is shown.
  fact('/env', 'Environment variables: always none', () => ({ env: {} })),
  fact('/hostname', 'The id of the instance', ({ svc }) => ({ hostname: svc.instance.id })),
  fact('/version', 'The name of the service', () => ({ service: 'go-httpbin' })),
  {
    path: '/trailers',
    summary: 'Reflect the request, then send trailers',
    methods: { httpbin: null },
    parameters: [{ name: 'X-Checksum', in: 'query', description: 'Any field name', schema: { type: 'string' } }],
    examples: [{ name: 'One field', path: '/trailers?X-Checksum=abc' }],
    handle: sendTrailers,
  },
]
