/** `agentgateway.dev.ext_mcp.ExtMcp`, called with the official client. */
import t from 'tap'
import { readFileSync } from 'node:fs'
import { Client, credentials, Metadata, status, type ServiceDefinition, type ServiceError } from '@grpc/grpc-js'
import { loadFileDescriptorSetFromBuffer } from '@grpc/proto-loader'
import { EXT_MCP_DESCRIPTOR_SET } from '../../../proto/compile.ts'
import { putRule, send } from '../../support/rules.ts'
import { serve } from '../../support/server.ts'

type Json = Record<string, any>

const SERVICE = 'agentgateway.dev.ext_mcp.ExtMcp'
const server = await serve(t, { plugins: ['ext-mcp', 'guardrails', 'mcp'] })
const { CheckRequest, CheckResponse } = loadFileDescriptorSetFromBuffer(readFileSync(EXT_MCP_DESCRIPTOR_SET), {
  keepCase: true,
  longs: Number,
  enums: String,
  defaults: false,
})[SERVICE] as ServiceDefinition
const client = new Client(`127.0.0.1:${server.ports.grpc}`, credentials.createInsecure())
t.teardown(() => client.close())

interface Asked {
  policy?: string
  metadata?: Record<string, string>
  headers?: Record<string, string>
  services?: string[]
}

function message(method: string, { policy, headers = {}, services = ['files'] }: Asked): Json {
  return {
    service_names: services,
    method,
    ...(policy === undefined
      ? {}
      : { metadata_context: { fields: [{ key: 'policy', value: { string_value: policy } }] } }),
    headers: Object.entries(headers).map(([key, value]) => ({ key, value: Buffer.from(value, 'latin1') })),
  }
}

function invoke(
  definition: ServiceDefinition[string],
  sent: Json,
  metadata: Record<string, string> = {},
): Promise<Json> {
  const fields = new Metadata()
  for (const [name, value] of Object.entries(metadata)) fields.set(name, value)
  return new Promise((resolve, reject) =>
    client.makeUnaryRequest(
      definition!.path,
      definition!.requestSerialize,
      definition!.responseDeserialize,
      sent,
      fields,
      (error, value) => (error === null ? resolve(value as Json) : reject(error)),
    ),
  )
}

const bytes = (value: unknown): Buffer => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))
const before = (method: string, params: unknown, asked: Asked = {}): Promise<Json> =>
  invoke(
    CheckRequest!,
    { ...message(method, asked), ...(params === undefined ? {} : { mcp_request: bytes(params) }) },
    asked.metadata,
  )
const after = (method: string, result: unknown, asked: Asked = {}): Promise<Json> => {
  const { headers: _none, ...sent } = message(method, asked)
  return invoke(CheckResponse!, { ...sent, mcp_response: bytes(result) }, asked.metadata)
}
const call = (name: string, asked?: Asked): Promise<Json> => before('tools/call', { name, arguments: {} }, asked)
const mutated = ({ mutated: value }: Json): Json => JSON.parse(value.toString())

async function failure(answer: Promise<Json>): Promise<{ code: string; details: string }> {
  const { code, details } = await answer.then(
    () => {
      throw new Error('the call succeeded')
    },
    (error: ServiceError) => error,
  )
  return { code: status[code], details }
}

const lastCall = async (): Promise<Json> =>
  ((await send(server, '/_svc/requests?service=mcp&limit=1')).json as Json).requests[0].service

t.test('the numbers of the fields are those of agentgateway [GWS-15]', async t => {
  const written = CheckRequest!.requestSerialize({
    service_names: ['s'],
    method: 'm',
    mcp_request: Buffer.from('{}'),
    headers: [{ key: 'k', value: Buffer.from('v') }],
  })
  t.equal(written.toString('hex'), '0a0173' + '12016d' + '22027b7d' + '2a06' + '0a016b120176')
  const read = (hex: string): unknown => CheckRequest!.responseDeserialize(Buffer.from(hex, 'hex'))
  t.match(read('0a00'), { pass: {} })
  t.match(read('12027b7d' + '220b' + '0a060a016b120176' + '120178'), {
    mutated: Buffer.from('{}'),
    header_mutation: { set: [{ key: 'k', value: Buffer.from('v') }], remove: ['x'] },
  })
  t.match(read('1a09' + '0802' + '120172' + '1a027b7d'), {
    error: { code: 'RESOURCE_EXHAUSTED', reason: 'r', mcp_error: Buffer.from('{}') },
  })
})

t.test('testbox is the default; the policy is that of the context or of the metadata [GWS-15]', async t => {
  t.match(await call('echo'), { pass: {} })
  t.match(await call('forbidden_tool'), {
    error: { code: 'PERMISSION_DENIED', reason: 'tool forbidden_tool is not allowed' },
  })
  t.match(await before('prompts/get', { name: 'forbidden' }), { pass: {} })
  const list = { tools: [{ name: 'a', description: 'A' }, { name: 'b' }], nextCursor: 'n' }
  t.strictSame(mutated(await after('tools/list', list)), {
    tools: [{ name: 'a', description: 'A [extmcp]' }, { name: 'b' }],
    nextCursor: 'n',
  })
  t.match(await after('tools/call', { content: [] }), { pass: {} })
  t.match(await call('echo', { policy: 'deny' }), { error: { code: 'PERMISSION_DENIED', reason: 'always' } })
  t.match(await after('tools/call', {}, { policy: 'deny' }), { pass: {} })
  t.match(await call('forbidden', { metadata: { 'svc-policy': 'allow' } }), { pass: {} })
  t.match(await before('ping', undefined, { policy: 'allow' }), { pass: {} }, 'without params')
  t.match(await failure(call('echo', { policy: 'alow' })), {
    code: 'INVALID_ARGUMENT',
    details: /did you mean "allow"/,
  })
})

t.test('read-only knows the last lists of the same services [GWS-15]', async t => {
  const asked: Asked = { policy: 'read-only' }
  const tool = (name: string, readOnlyHint?: boolean): Json => ({
    name,
    ...(readOnlyHint === undefined ? {} : { annotations: { readOnlyHint } }),
  })
  t.match(await call('write', asked), { pass: {} }, 'before any list')
  const listed = await after('tools/list', { tools: [tool('read', true), tool('write', false), tool('other')] }, asked)
  t.strictSame(mutated(listed), { tools: [tool('read', true)] })
  await after('tools/list', { tools: [tool('second')] }, asked)
  for (const [name, code] of [
    ['read', null],
    ['write', 'PERMISSION_DENIED'],
    ['other', 'PERMISSION_DENIED'],
    ['second', 'PERMISSION_DENIED'],
  ] as const)
    t.equal((await call(name, asked)).error?.code ?? null, code, name)
  t.match(await call('write', { ...asked, services: ['mail'] }), { pass: {} }, 'other services')
  t.match(await call('write', { ...asked, headers: { 'x-svc-session': 'mine' } }), { pass: {} }, 'another session')
  t.match(await after('tools/list', { tools: [tool('write', true)] }, asked), { pass: {} }, 'nothing is hidden')
  t.match(await call('write', asked), { pass: {} }, 'it is read-only now')
})

t.test('redact and quota [GWS-15]', async t => {
  const result = '{"content":[{"type":"text","text":"mail ada@example.com"}],"n":12345678901234567890}'
  const redacted = await after('tools/call', result, { policy: 'redact' })
  t.equal(
    redacted.mutated.toString(),
    '{"content":[{"type":"text","text":"mail [EMAIL]"}],"n":12345678901234567890}',
    'numbers keep their digits',
  )
  t.match(await after('tools/call', { content: [] }, { policy: 'redact' }), { pass: {} })
  const as = (name: string): Asked => ({ policy: 'quota', headers: { authorization: `Bearer ${name}` } })
  for (let number = 1; number <= 5; number++) t.match(await call('echo', as('a')), { pass: {} })
  t.match(await call('echo', as('a')), { error: { code: 'RESOURCE_EXHAUSTED' } })
  t.match(await call('echo', as('b')), { pass: {} })
  t.match(await before('tools/list', {}, as('a')), { pass: {} }, 'only calls of tools count')
})

t.test('X-Svc-Mcp-Check of the request [GWS-15]', async t => {
  const ask = (value: string): Promise<Json> => call('echo', { headers: { 'X-Svc-Mcp-Check': value } })
  t.match(await ask('pass'), { pass: {} })
  t.match(await ask('deny'), { error: { code: 'PERMISSION_DENIED' } })
  t.match(await ask('deny:exhausted'), { error: { code: 'RESOURCE_EXHAUSTED' } })
  t.strictSame(
    Object.keys(await ask('empty')).filter(key => ['pass', 'mutated', 'error'].includes(key)),
    [],
  )
  const { mutated: broken } = await ask('malformed')
  t.throws(() => JSON.parse(broken.toString()))
  t.match(await failure(ask('error')), { code: 'UNAVAILABLE' })
  t.match(await ask('slow:1'), { pass: {} })
  t.match(await failure(ask('nope')), { code: 'INVALID_ARGUMENT', details: /deny:exhausted/ })
})

t.test('rules decide and change, with conditions on the JSON-RPC message [GWS-15]', async t => {
  t.teardown(() => send(server, 'DELETE /_svc/rules'))
  const rule = (then: unknown, match: Json = { rpc: { tool: 'echo' } }, phase = 'request'): Promise<unknown> =>
    putRule(server, 'r', { match: { service: { name: 'mcp', phase }, ...match }, then })
  await rule({
    decide: {
      allow: false,
      code: 'resource_exhausted',
      reason: 'no {{request.body.params.name}} today',
      error: { code: -32_099, message: 'later', data: { tool: '{{request.body.params.name}}' } },
    },
  })
  const denied = await call('echo')
  t.match(denied.error, { code: 'RESOURCE_EXHAUSTED', reason: 'no echo today' })
  t.strictSame(JSON.parse(denied.error.mcp_error.toString()), {
    code: -32_099,
    message: 'later',
    data: { tool: 'echo' },
  })
  t.match(await call('other'), { pass: {} })
  t.match(await after('tools/call', { content: [] }), { pass: {} }, 'another phase')
  await rule({ decide: { allow: true } }, { rpc: { tool: 'forbidden' } })
  t.match(await call('forbidden'), { pass: {} })
  await rule({
    mutate: {
      params: { json_patch: [{ op: 'add', path: '/arguments/by', value: '{{request.header.x-who}}' }] },
      headers: { set: { 'X-A': 'a' }, remove: ['Cookie'] },
      metadata: { tier: 'gold' },
    },
  })
  const changed = await before('tools/call', '{"name":"echo","arguments":{"n":12345678901234567890}}', {
    headers: { 'x-who': 'ada' },
  })
  t.equal(changed.mutated.toString(), '{"name":"echo","arguments":{"n":12345678901234567890,"by":"ada"}}')
  t.match(changed.header_mutation, { set: [{ key: 'x-a', value: Buffer.from('a') }], remove: ['cookie'] })
  t.match(changed.metadata, { fields: [{ key: 'tier', value: { string_value: 'gold' } }] })
  t.match(await lastCall(), { decision: 'mutate', by: 'rule', phases: ['request'], left_out: [] })
  t.match(
    await failure(before('tools/call', { name: 'echo' })),
    { code: 'INVALID_ARGUMENT', details: /\[0\] add: there is no such place/ },
    'the patch does not fit',
  )
  await rule(
    { mutate: { result: { content: [] }, headers: { set: { 'X-A': 'a' } } } },
    { json: { '/result/content': { exists: true } } },
    'response',
  )
  t.strictSame(mutated(await after('tools/call', { content: [{ type: 'text', text: 'x' }] })), { content: [] })
  t.strictSame((await lastCall()).left_out, ['headers'])
  await rule({ fail: 503, message: 'by rule' })
  t.match(await failure(call('echo')), { code: 'UNAVAILABLE', details: 'by rule' })
  for (const [then, at] of [
    [{ decide: { allow: true, code: 'invalid' } }, /decide\.code/],
    [{ decide: { allow: false, code: 'nope' } }, /decide\.code/],
    [{ decide: { allow: false, error: { code: 'x', message: '' } } }, /decide\.error\.code/],
    [{ mutate: {} }, /expected one of params/],
    [
      { mutate: { params: { json_patch: [{ op: 'add', path: 'x', value: 1 }] } } },
      /mutate\.params\.json_patch\[0\]\.path/,
    ],
    [{ mutate: { result: 7 } }, /mutate\.result/],
    [{ mutate: { headers: { set: { host: 'x' } } } }, /host/],
    [{ mutate: { params: {} }, fail: 503 }, /at most one|excludes|one of/],
  ] as const) {
    const refused = await send(server, 'PUT /_svc/rules/w', { body: { match: { service: { name: 'mcp' } }, then } })
    t.equal(refused.status, 400, JSON.stringify(then))
    t.match(refused.text, at)
  }
})

t.test('bad JSON is INVALID, and calls are recorded [GWS-15]', async t => {
  for (const params of ['{', Buffer.from([0xff, 0xfe]).toString('latin1') + '{', '['.repeat(200)])
    t.match(await before('tools/call', params), { error: { code: 'INVALID', reason: /not JSON/ } })
  await before('tools/call', { name: 'echo', arguments: {} }, { headers: { 'x-request-id': 'mcp-1', 'x-b': 'ü' } })
  t.match(await lastCall(), {
    name: 'mcp',
    policy: 'testbox',
    decision: 'pass',
    by: 'policy',
    checked: {
      method: 'POST',
      headers: [
        { name: 'x-request-id', value: 'mcp-1' },
        { name: 'x-b', value: 'ü' },
      ],
    },
  })
  t.match((await send(server, '/_svc/services')).json, {
    services: [{ name: 'guardrail' }, { name: 'mcp', grpc: SERVICE, http: null }],
  })
})
