/** What the services keep is that of all replicas, and so are their records. [GWS-21] */
import { readFileSync } from 'node:fs'
import { Client, credentials, Metadata, type ServiceDefinition, type ServiceError } from '@grpc/grpc-js'
import { loadFileDescriptorSetFromBuffer } from '@grpc/proto-loader'
import t from 'tap'
import { startReplicas } from '../../../core/testing/index.ts'
import { EXT_MCP_DESCRIPTOR_SET, EXT_PROC_DESCRIPTOR_SET } from '../../../proto/compile.ts'
import { putRule, send } from '../../support/rules.ts'
import { until } from '../../support/until.ts'

type Json = Record<string, any>

const FORMS = { keepCase: true, longs: Number, enums: String, defaults: false, oneofs: true }
const load = (file: string, name: string): ServiceDefinition =>
  loadFileDescriptorSetFromBuffer(readFileSync(file), FORMS)[name] as ServiceDefinition
const { Process } = load(EXT_PROC_DESCRIPTOR_SET, 'envoy.service.ext_proc.v3.ExternalProcessor')
const { CheckRequest, CheckResponse } = load(EXT_MCP_DESCRIPTOR_SET, 'agentgateway.dev.ext_mcp.ExtMcp')

const replicas = await startReplicas(3, { plugins: ['ext-proc', 'ext-mcp', 'ext-authz'] })
t.teardown(() => replicas.stop())
const clients = replicas.servers.map(({ grpcAddress }) => new Client(grpcAddress!, credentials.createInsecure()))
t.teardown(() => clients.forEach(client => client.close()))

const headersOf = (headers: Record<string, string>): Json => ({
  headers: {
    headers: Object.entries({ ':method': 'GET', ':path': '/orders', ':authority': 'shop.test', ...headers }).map(
      ([key, value]) => ({ key, raw_value: Buffer.from(value) }),
    ),
  },
})

/** The answers of one stream at a replica. */
function processed(index: number, messages: Json[], metadata: Record<string, string> = {}): Promise<Json[]> {
  const fields = new Metadata()
  for (const [name, value] of Object.entries(metadata)) fields.set(name, value)
  const call = clients[index]!.makeBidiStreamRequest(
    Process!.path,
    Process!.requestSerialize,
    Process!.responseDeserialize,
    fields,
  )
  return new Promise((resolve, reject) => {
    const answers: Json[] = []
    const next = (): void => {
      const message = messages[answers.length]
      if (message === undefined) call.end()
      else call.write(message)
    }
    call.on('error', reject).on('data', (answer: Json) => {
      answers.push(answer)
      next()
    })
    call.on('end', () => resolve(answers))
    next()
  })
}

function checked(index: number, method: ServiceDefinition[string], message: Json, policy: string): Promise<Json> {
  const metadata = new Metadata()
  metadata.set('svc-policy', policy)
  return new Promise((resolve, reject) =>
    clients[index]!.makeUnaryRequest(
      method.path,
      method.requestSerialize,
      method.responseDeserialize,
      message,
      metadata,
      (error: ServiceError | null, value) => (error === null ? resolve(value as Json) : reject(error)),
    ),
  )
}

t.test('endpoints are those of all replicas, which pick in turn', async t => {
  const endpoints = ['127.0.0.1:9001', '127.0.0.1:9002', '127.0.0.1:9003']
  await send(replicas.servers[0]!, 'PUT /_svc/services/endpoints', { body: JSON.stringify(endpoints) })
  for (const server of replicas.servers)
    await until(async () => {
      const { endpoints: known } = (await send(server, '/_svc/services')).json as Json
      return known.length === 3
    }, 'the replica knows the endpoints')
  const picked: string[] = []
  for (let index = 0; index < 6; index++) {
    const [answer] = await processed(index % 3, [{ request_headers: headersOf({}) }], { 'svc-processor': 'epp' })
    const set: Json[] = answer!.request_headers.response.header_mutation.set_headers
    picked.push(set.find(({ header }) => header.key === 'x-gateway-destination-endpoint')!.header.raw_value.toString())
  }
  t.strictSame(picked.slice(0, 3).toSorted(), endpoints, 'each endpoint once')
  t.strictSame(picked.slice(3), picked.slice(0, 3), 'then in the same order')
})

t.test('what a rule did in a later phase is in the record of every replica', async t => {
  await putRule(replicas.servers[0]!, 'late', {
    match: { service: { name: 'proc', phase: 'response_headers' } },
    then: { mutate: { response: { headers: { set: { 'x-late': '1' } } } } },
  })
  const answers = await until(async () => {
    const found = await processed(1, [
      { request_headers: headersOf({}) },
      { response_headers: headersOf({ ':status': '200' }) },
    ])
    return found[1]!.response_headers.response?.header_mutation?.set_headers?.length > 0 ? found : null
  }, 'the rule has arrived')
  t.equal(answers.length, 2)
  for (const server of replicas.servers) {
    const { requests } = await until(async () => {
      const found = (await send(server, '/_svc/requests?service=proc&decision=mutate&rule=late')).json as Json
      return found.requests.length > 0 ? found : null
    }, 'the replica shows the record')
    t.match(requests[0], {
      rule: 'late',
      service: { by: 'rule', phases: ['request_headers', 'response_headers'] },
    })
  }
})

t.test('a quota of MCP calls is one for all replicas', async t => {
  const call = {
    service_names: ['crm'],
    method: 'tools/call',
    mcp_request: Buffer.from(JSON.stringify({ name: 'echo', arguments: {} })),
    headers: [{ key: 'authorization', value: Buffer.from('Bearer quota') }],
  }
  const results: string[] = []
  for (let index = 0; index < 7; index++)
    results.push((await checked(index % 3, CheckRequest!, call, 'quota')).error?.code ?? 'pass')
  t.strictSame(results, [...Array(5).fill('pass'), 'RESOURCE_EXHAUSTED', 'RESOURCE_EXHAUSTED'])
})

t.test('the list of tools that one replica saw decides at the others', async t => {
  const tools = [
    { name: 'read', annotations: { readOnlyHint: true }, inputSchema: {} },
    { name: 'write', inputSchema: {} },
  ]
  const list = { service_names: ['files'], method: 'tools/list', mcp_response: Buffer.from(JSON.stringify({ tools })) }
  await checked(0, CheckResponse!, list, 'read-only')
  const ask = (name: string): Promise<Json> =>
    checked(
      1,
      CheckRequest!,
      { service_names: ['files'], method: 'tools/call', mcp_request: Buffer.from(JSON.stringify({ name })) },
      'read-only',
    )
  t.notOk((await ask('read')).error)
  t.match((await ask('write')).error, { code: 'PERMISSION_DENIED' })
})

t.test('the order of random decisions is one for all replicas', async t => {
  const ask = async (index: number, session: string): Promise<number> =>
    (
      await send(replicas.servers[index]!, '/ext-authz/random?p=0.5&seed=7', {
        session,
        headers: { 'x-forwarded-method': 'GET', 'x-forwarded-uri': '/orders' },
      })
    ).status
  const alone: number[] = []
  for (let index = 0; index < 12; index++) alone.push(await ask(0, 'one'))
  const spread: number[] = []
  for (let index = 0; index < 12; index++) spread.push(await ask(index % 3, 'two'))
  t.equal(new Set(alone).size, 2)
  t.strictSame(spread, alone, 'in the order of the seed')
})
