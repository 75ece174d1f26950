/** `envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit`, called with the official client. */
import t from 'tap'
import { connect, constants } from 'node:http2'
import { readFileSync } from 'node:fs'
import { Client, credentials, Metadata, status, type ServiceDefinition, type ServiceError } from '@grpc/grpc-js'
import { loadFileDescriptorSetFromBuffer } from '@grpc/proto-loader'
import { RATE_LIMIT_DESCRIPTOR_SET } from '../../../proto/compile.ts'
import { putRule, send } from '../../support/rules.ts'
import { serve } from '../../support/server.ts'

type Json = Record<string, any>

const SERVICE = 'envoy.service.ratelimit.v3.RateLimitService'
const server = await serve(t, {
  plugins: ['rate-limit', 'grpc'],
  settings: {
    rate_limit: {
      domains: [
        {
          domain: 'shop',
          descriptors: [
            { key: 'tenant', rate_limit: { unit: 'WEEK', requests_per_unit: 2, name: 'weekly' } },
            { key: 'free', rate_limit: { unlimited: true } },
          ],
        },
      ],
    },
  },
})
const definitions = loadFileDescriptorSetFromBuffer(readFileSync(RATE_LIMIT_DESCRIPTOR_SET), {
  keepCase: true,
  longs: Number,
  enums: String,
  defaults: false,
})
const { ShouldRateLimit: method } = definitions[SERVICE] as ServiceDefinition
const client = new Client(`127.0.0.1:${server.ports.grpc}`, credentials.createInsecure())
t.teardown(() => client.close())

const descriptor = (pairs: Record<string, string>, more: Json = {}): Json => ({
  entries: Object.entries(pairs).map(([key, value]) => ({ key, value })),
  ...more,
})

interface Asked {
  domain?: string
  hits_addend?: number
  metadata?: Record<string, string>
}

function ask(descriptors: Json[], { metadata = {}, ...members }: Asked = {}): Promise<Json> {
  const sent = new Metadata()
  for (const [name, value] of Object.entries(metadata)) sent.set(name, value)
  return new Promise((resolve, reject) =>
    client.makeUnaryRequest(
      method!.path,
      method!.requestSerialize,
      method!.responseDeserialize,
      { domain: 'shop', descriptors, ...members },
      sent,
      (error, value) => (error === null ? resolve(value as Json) : reject(error)),
    ),
  )
}

async function failure(descriptors: Json[], asked: Asked = {}): Promise<{ code: string; details: string }> {
  const { code, details } = await ask(descriptors, asked).then(
    () => {
      throw new Error('the call succeeded')
    },
    (error: ServiceError) => error,
  )
  return { code: status[code], details }
}

t.test('the numbers of the fields are those of the published definitions [GWS-9]', t => {
  // Domain 1, descriptors 2 (entries 1: key 1, value 2; limit 2: requests_per_unit 1, unit 2; hits_addend 3: value 1), hits 3.
  const written = method!.requestSerialize({
    domain: 'd',
    descriptors: [descriptor({ k: 'v' }, { limit: { requests_per_unit: 5, unit: 'HOUR' }, hits_addend: { value: 2 } })],
    hits_addend: 3,
  })
  t.equal(written.toString('hex'), '0a01641212' + '0a060a016b120176' + '120408051003' + '1a020802' + '1803')
  // Overall code 1, status 2 (code 1, limit 2: requests 1, unit 2, name 3; remaining 3, duration 4), headers 3 and 4, body 5.
  const response = Buffer.from(
    '0802' +
      '12110802' +
      '1207080210071a016e' +
      '1801' +
      '22020809' +
      '1a060a01681201' +
      '76' +
      '22060a0168120177' +
      '2a0162',
    'hex',
  )
  t.match(method!.responseDeserialize(response), {
    overall_code: 'OVER_LIMIT',
    statuses: [
      {
        code: 'OVER_LIMIT',
        current_limit: { requests_per_unit: 2, unit: 'WEEK', name: 'n' },
        limit_remaining: 1,
        duration_until_reset: { seconds: 9 },
      },
    ],
    response_headers_to_add: [{ key: 'h', value: 'v' }],
    request_headers_to_add: [{ key: 'h', value: 'w' }],
    raw_body: Buffer.from('b'),
  })
  t.end()
})

t.test('limits, hits and headers [GWS-7]', async t => {
  const first = await ask([descriptor({ tenant: 'a' }), descriptor({ free: 'x' }), descriptor({ other: 'x' })])
  t.equal(first.overall_code, 'OK')
  t.match(first.statuses, [
    {
      code: 'OK',
      current_limit: { requests_per_unit: 2, unit: 'WEEK', name: 'weekly' },
      limit_remaining: 1,
      duration_until_reset: { seconds: Number },
    },
    { code: 'OK', limit_remaining: 4_294_967_295 },
    { code: 'OK' },
  ])
  t.notOk(first.statuses[1].current_limit)
  t.notOk(first.statuses[2].current_limit)
  t.match(first.response_headers_to_add, [
    { key: 'RateLimit-Limit', value: '2' },
    { key: 'RateLimit-Remaining', value: '1' },
    { key: 'RateLimit-Reset' },
  ])
  t.equal((await ask([descriptor({ tenant: 'a' }, { hits_addend: { value: 0 } })])).statuses[0].limit_remaining, 1)
  const over = await ask([descriptor({ tenant: 'a' })], { hits_addend: 2 })
  t.match(over, { overall_code: 'OVER_LIMIT', statuses: [{ code: 'OVER_LIMIT' }] })
  const own = descriptor({ tenant: 'b' }, { limit: { requests_per_unit: 0, unit: 'SECOND' } })
  t.match(await ask([own]), { overall_code: 'OVER_LIMIT', statuses: [{ current_limit: { unit: 'SECOND' } }] })
  t.match(await ask([descriptor({ svc_limit: '7/90s' })], { domain: 'demo' }), {
    statuses: [{ current_limit: { requests_per_unit: 7 }, limit_remaining: 6 }],
  })
})

t.test('errors have the words of the reference service or INVALID_ARGUMENT [GWS-9]', async t => {
  const one = [descriptor({ a: 'b' })]
  t.match(await failure(one, { domain: '' }), { code: 'UNKNOWN', details: 'rate limit domain must not be empty' })
  t.match(await failure([]), { code: 'UNKNOWN', details: 'rate limit descriptor list must not be empty' })
  for (const [descriptors, details] of [
    [[descriptor({})], /no entries/],
    [[descriptor({ '': 'x' })], /empty key/],
    [Array.from({ length: 101 }, () => one[0]!), /at most 100/],
    [[descriptor({ a: 'b' }, { limit: { requests_per_unit: 1 } })], /limit\.unit/],
    [[descriptor({ svc: 'nope' })], /ok, over, unknown/],
  ] as const)
    t.match(await failure([...descriptors]), { code: 'INVALID_ARGUMENT', details })
  t.match(await failure([descriptor({ svc_limit: 'x' })], { domain: 'demo' }), { code: 'INVALID_ARGUMENT' })
})

t.test('faults and rules end calls [GWS-10]', async t => {
  t.teardown(() => send(server, 'DELETE /_svc/rules'))
  t.match(await ask([descriptor({ svc: 'over' })]), { overall_code: 'OVER_LIMIT', statuses: [{ code: 'OVER_LIMIT' }] })
  t.match(await ask([descriptor({ svc: 'unknown' })]), { statuses: [{}] })
  t.match(await failure([descriptor({ svc: 'error' })]), { code: 'UNAVAILABLE' })
  const asked = [descriptor({ tenant: 'rule' })]
  const rule = (then: unknown): Promise<unknown> =>
    putRule(server, 'r', { match: { service: { descriptor: 'tenant=rule' } }, then })
  await rule({
    decide: {
      code: 'over',
      headers: { 'Retry-After': '7' },
      request_headers: { 'X-A': 'a' },
      metadata: { tier: 'gold' },
      raw_body: 'no',
    },
  })
  t.match(await ask(asked), {
    overall_code: 'OVER_LIMIT',
    response_headers_to_add: [{ key: 'Retry-After', value: '7' }],
    request_headers_to_add: [{ key: 'X-A', value: 'a' }],
    raw_body: Buffer.from('no'),
    dynamic_metadata: { fields: [{ key: 'tier', value: { string_value: 'gold' } }] },
  })
  await rule({ fail: 503, message: 'by rule' })
  t.match(await failure(asked), { code: 'UNAVAILABLE', details: 'by rule' })
  await rule({ abort: 'reset' })
  t.equal(await resetCode(asked), constants.NGHTTP2_INTERNAL_ERROR)
})

/** Asks over HTTP/2 itself, to see how the stream ends. */
function resetCode(descriptors: Json[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const session = connect(`http://127.0.0.1:${server.ports.grpc}`)
    session.on('error', reject)
    const stream = session.request({
      ':method': 'POST',
      ':path': method!.path,
      'content-type': 'application/grpc',
      te: 'trailers',
    })
    stream.on('error', () => {})
    stream.on('close', () => {
      session.close()
      resolve(stream.rstCode!)
    })
    stream.resume()
    const payload = method!.requestSerialize({ domain: 'shop', descriptors })
    const frame = Buffer.alloc(5)
    frame.writeUInt32BE(payload.length, 1)
    stream.end(Buffer.concat([frame, payload]))
  })
}

t.test('the session and the ids of the call are those of the gateway [GWS-11]', async t => {
  const tenant = [descriptor({ tenant: 's' })]
  await ask(tenant, { hits_addend: 3 })
  const other = await ask(tenant, { metadata: { 'x-svc-session': 'mine', 'x-request-id': 'r-9' } })
  t.equal(other.statuses[0].limit_remaining, 1, 'each session has its own counters')
  const { json } = await send(server, '/_svc/requests?service=ratelimit&limit=1')
  t.match((json as Json).requests[0].service, {
    decision: 'ok',
    checked: { session: 'mine', headers: [{ name: 'x-request-id', value: 'r-9' }] },
  })
  t.match((await send(server, '/_svc/services')).json, { services: [{ name: 'ratelimit', grpc: SERVICE }] })
})
