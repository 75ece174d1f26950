/** Load reports in HTTP responses, and the control plane. */
import { readFileSync } from 'node:fs'
import { connect as connectHttp2 } from 'node:http2'
import { get as httpGet } from 'node:http'
import { loadFileDescriptorSetFromBuffer, type MessageTypeDefinition } from '@grpc/proto-loader'
import t from 'tap'
import { ORCA_DESCRIPTOR_SET } from '../../../proto/compile.ts'
import { serve } from '../../support/server.ts'

const FIELD = 'endpoint-load-metrics'
const { url } = await serve(t)
const get = (path: string, headers: Record<string, string> = {}, at = url): Promise<Response> =>
  fetch(at + path, { headers })
const fieldOf = async (path: string, headers: Record<string, string> = {}, at = url): Promise<string | null> => {
  const response = await get(path, headers, at)
  await response.arrayBuffer()
  return response.headers.get(FIELD)
}
const put = (body: unknown, at = url): Promise<Response> =>
  fetch(`${at}/_svc/orca`, { method: 'PUT', body: typeof body === 'string' ? body : JSON.stringify(body) })

const REPORT = {
  cpu_utilization: 0.31,
  mem_utilization: 0.5,
  rps_fractional: 12.5,
  eps: 1,
  application_utilization: 2,
  utilization: { gpu: 0.75 },
  named_metrics: { kv_cache_usage_perc: 0.4, 'a.b-c_d': 3 },
  request_cost: { tokens: 12 },
}

t.test('a request gets the report in the format that it asks for [ORCA-1]', async t => {
  t.equal((await put(REPORT)).status, 200)
  t.equal(
    await fieldOf('/echo', { [`${FIELD}-format`]: 'TEXT' }),
    'TEXT cpu_utilization=0.31, mem_utilization=0.5, rps_fractional=12.5, eps=1, application_utilization=2, request_cost.tokens=12, utilization.gpu=0.75, named_metrics.kv_cache_usage_perc=0.4, named_metrics.a.b-c_d=3',
  )
  const [format, json] = ((await fieldOf('/status/500', { [`${FIELD}-format`]: 'json' })) ?? '').split(/ (.*)/)
  t.same([format, JSON.parse(json!)], ['JSON', REPORT], 'also on errors, in any case of letters')
  const [, base64] = ((await fieldOf('/sse?count=1', { [`${FIELD}-format`]: 'BIN' })) ?? '').split('BIN ')
  const loaded = loadFileDescriptorSetFromBuffer(readFileSync(ORCA_DESCRIPTOR_SET), { keepCase: true })
  const type = loaded['xds.data.orca.v3.OrcaLoadReport'] as MessageTypeDefinition<object, typeof REPORT>
  const entries = (values: Record<string, number>) => Object.entries(values).map(([key, value]) => ({ key, value }))
  t.same(type.deserialize(Buffer.from(base64!, 'base64')), {
    ...REPORT,
    utilization: entries(REPORT.utilization),
    named_metrics: entries(REPORT.named_metrics),
    request_cost: entries(REPORT.request_cost),
  })
  t.equal(await fieldOf('/echo'), null, 'not without being asked for')
  const unknown = await get('/echo', { [`${FIELD}-format`]: 'XML' })
  t.equal(unknown.headers.get(FIELD), null)
  t.match(unknown.headers.get('x-svc-ignored'), /^endpoint-load-metrics-format; expected TEXT, JSON, BIN$/)
})

t.test('X-Svc-Orca replaces values in one response [ORCA-2]', async t => {
  await put(REPORT)
  const own = 'cpu=0.9;mem=0.2; app=0.5;rps=1000;eps=0;util.gpu=0.7;util.npu=1;named.kv=0.4;cost.tokens=13'
  const given = await fieldOf('/echo', { 'X-Svc-Orca': own })
  t.same(JSON.parse(given!.slice('JSON '.length)), {
    cpu_utilization: 0.9,
    mem_utilization: 0.2,
    rps_fractional: 1000,
    eps: 0,
    application_utilization: 0.5,
    utilization: { gpu: 0.7, npu: 1 },
    named_metrics: { ...REPORT.named_metrics, kv: 0.4 },
    request_cost: { tokens: 13 },
  })
  t.match(await fieldOf('/echo', { 'X-Svc-Orca': 'cpu=1', [`${FIELD}-format`]: 'TEXT' }), /^TEXT cpu_utilization=1,/)
  t.match(await fieldOf('/no-such-path', { 'X-Svc-Orca': 'cpu=1' }), /"cpu_utilization":1,/)
  for (const wrong of [
    '',
    'cpu',
    'cpu=',
    'cpu=-1',
    'cpu=1e9',
    'mem=1.1',
    'util.x=2',
    'util.=1',
    'util.a b=1',
    'x=1',
    'toString=1',
  ])
    for (const path of ['/echo', '/no-such-path']) {
      const response = await get(path, { 'X-Svc-Orca': wrong })
      t.equal(response.status, 400, wrong)
      t.match(await response.json(), { error: 'invalid_orca', details: String })
    }
  const many = Array.from({ length: 51 }, (_, number) => `named.n${number}=1`).join(';')
  t.equal((await get('/echo', { 'X-Svc-Orca': many })).status, 400)
})

t.test('the operator sets, reads and removes the report [ORCA-3]', async t => {
  const read = async () => (await get('/_svc/orca')).json() as Promise<{ source: string; report: object }>
  t.same(await (await put({ cpu_utilization: 0.5 })).json(), { source: 'set', report: { cpu_utilization: 0.5 } })
  t.same(await read(), { source: 'set', report: { cpu_utilization: 0.5 } })
  for (const wrong of [
    'text',
    [],
    { cpu: 1 },
    { cpu_utilization: -1 },
    { cpu_utilization: '1' },
    { mem_utilization: 1.5 },
    { utilization: { gpu: 2 } },
    { named_metrics: { 'a b': 1 } },
    { request_cost: [] },
    { named_metrics: Object.fromEntries(Array.from({ length: 51 }, (_, number) => [`n${number}`, 1])) },
  ]) {
    const refused = await put(wrong)
    t.equal(refused.status, 400, JSON.stringify(wrong))
    t.match(await refused.json(), { error: 'invalid_orca', details: String })
  }
  t.same(await read(), { source: 'set', report: { cpu_utilization: 0.5 } })
  t.equal((await fetch(`${url}/_svc/orca`, { method: 'DELETE' })).status, 204)
  const { source, report } = await read()
  t.equal(source, 'measured')
  t.match(report, { cpu_utilization: Number, mem_utilization: Number, rps_fractional: Number, eps: Number })
})

t.test('without an admin token nobody sets the report in public mode [ORCA-3]', async t => {
  const { url: at } = await serve(t, { env: { SVC_PUBLIC_MODE: 'true' } })
  t.equal((await put({ cpu_utilization: 1 }, at)).status, 403)
  t.equal((await fetch(`${at}/_svc/orca`, { method: 'DELETE' })).status, 403)
})

t.test('what is measured counts requests and errors [ORCA-4]', async t => {
  const { url: at } = await serve(t)
  for (let count = 0; count < 10; count++) await (await get('/status/500', {}, at)).arrayBuffer()
  const { report } = (await (await get('/_svc/orca', {}, at)).json()) as {
    report: Record<string, number>
  }
  t.same([report.rps_fractional, report.eps], [1, 1], '10 in 10 s')
  t.ok(report.mem_utilization! > 0 && report.mem_utilization! <= 1)
})

t.test('a provider with a capacity is reported in the names of vLLM [ORCA-4]', async t => {
  const capacity = { slots: 2, queue: 1 }
  const metricsOf = async (providers: object[]) => {
    const { url: at } = await serve(t, {
      settings: { llm: { providers } },
      plugins: ['orca', 'llm-openai'],
    })
    const { report } = (await (await get('/_svc/orca', {}, at)).json()) as { report: { named_metrics?: object } }
    return report.named_metrics
  }
  const provider = (name: string, more: object = {}) => ({ name, format: 'openai', models: ['m'], ...more })
  t.same(await metricsOf([provider('one', { capacity })]), {
    kv_cache_usage_perc: 0,
    num_requests_waiting: 0,
    num_requests_running: 0,
  })
  t.same(Object.keys((await metricsOf([provider('one', { capacity }), provider('two', { capacity })])) ?? {}), [
    'one.kv_cache_usage_perc',
    'one.num_requests_waiting',
    'one.num_requests_running',
    'two.kv_cache_usage_perc',
    'two.num_requests_waiting',
    'two.num_requests_running',
  ])
  t.equal(await metricsOf([provider('one')]), undefined)
})

t.test('every response has a report where svc.yaml says so [ORCA-5]', async t => {
  const report = { cpu_utilization: 0.25 }
  const header = await serve(t, {
    settings: { orca: { in_band: 'header', format: 'TEXT', report } },
    plugins: ['orca', 'echo', 'sse'],
  })
  for (const path of ['/echo', '/sse?count=1', '/no-such-path'])
    t.equal(await fieldOf(path, {}, header.url), 'TEXT cpu_utilization=0.25', path)
  t.same(await (await get('/_svc/orca', {}, header.url)).json(), { source: 'configured', report })

  const trailer = await serve(t, {
    env: { SVC_GRPC_ON_HTTP: 'true' },
    settings: { orca: { in_band: 'trailer', report } },
    plugins: ['orca', 'echo', 'sse'],
  })
  const value = 'JSON {"cpu_utilization":0.25}'
  t.equal(await fieldOf('/echo', {}, trailer.url), value, 'a body with a length has no trailers')
  const streamed = await new Promise<{ headers: object; trailers: object }>((resolve, reject) => {
    httpGet(`${trailer.url}/sse?count=2`, response => {
      response.resume().on('end', () => resolve({ headers: response.headers, trailers: response.trailers }))
    }).on('error', reject)
  })
  t.match(streamed, { headers: { trailer: FIELD, [FIELD]: undefined }, trailers: { [FIELD]: value } })
  const session = connectHttp2(trailer.url)
  const request = session.request({ ':path': '/sse?count=2' })
  const trailers = await new Promise<object>(resolve => {
    request.on('trailers', resolve).resume()
  })
  session.close()
  t.match(trailers, { [FIELD]: value }, 'HTTP/2')
  t.equal(await fieldOf('/sse?count=1', { [`${FIELD}-format`]: 'JSON' }, trailer.url), value, 'asked for: in a header')
})

t.test('ORCA_CPU_UTILIZATION is the configured value [ORCA-6]', async t => {
  const { url: at } = await serve(t, { env: { ORCA_CPU_UTILIZATION: '0.75' } })
  t.same(await (await get('/_svc/orca', {}, at)).json(), { source: 'configured', report: { cpu_utilization: 0.75 } })
})
