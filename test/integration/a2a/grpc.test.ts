/** The gRPC binding: all operations, the same tasks as the other bindings, errors, streams and deadlines. */
import t from 'tap'
import { status, type ServiceError } from '@grpc/grpc-js'
import { loadFileDescriptorSetFromBuffer, type MessageTypeDefinition } from '@grpc/proto-loader'
import { readFileSync } from 'node:fs'
import { A2A_DESCRIPTOR_SET } from '../../../proto/compile.ts'
import { Caller, COMBINATIONS, type Json } from '../../support/a2a.ts'
import { GrpcCaller, grpcMessage, struct } from '../../support/a2a-grpc-client.ts'
import { serve } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const { url, ports } = await serve(t, { plugins: ['a2a', 'a2a-grpc', 'grpc', 'identity', 'echo'] })
const session = 'grpc'
const client = new GrpcCaller(`127.0.0.1:${ports.grpc}`, { 'x-svc-session': session })
t.teardown(() => client.close())
const rpc = new Caller(url, COMBINATIONS[0]!, session)
const fast = struct({ stepDelayMs: 0 })

const definitions = loadFileDescriptorSetFromBuffer(readFileSync(A2A_DESCRIPTOR_SET), {
  longs: Number,
  enums: String,
  defaults: true,
})
const decode = (type: string, bytes: Buffer) =>
  (definitions[type] as MessageTypeDefinition<object, Json>).deserialize(bytes)

/** Code, message and details of a call that is expected to fail. */
async function failure(
  promise: Promise<unknown>,
): Promise<{ code: string; message: string; reason: string; details: Json[] }> {
  const error = await promise.then(
    () => {
      throw new Error('the call succeeded')
    },
    (caught: ServiceError) => caught,
  )
  const [bytes] = error.metadata.get('grpc-status-details-bin') as Buffer[]
  const rich = bytes ? (decode('google.rpc.Status', bytes) as Json) : { details: [] }
  const details = rich.details.map(({ type_url: type, value }: Json) => decode(type.split('/')[1], value))
  return { code: status[error.code], message: error.details, reason: details[0]?.reason, details }
}

const nameOf = ({ payload, ...event }: Json) =>
  payload === 'statusUpdate'
    ? event.statusUpdate.status.state
    : payload === 'artifactUpdate'
      ? event.artifactUpdate.artifact.artifactId
      : payload

t.test('a task made over gRPC is the same in the other bindings, and the reverse [A2A-32]', async t => {
  const data = struct({ a: 1, text: 'x' })
  const parts = [
    { text: 'hi', metadata: struct({ n: 1.5 }) },
    { raw: Buffer.from([0, 255, 1]), filename: 'x.bin', mediaType: 'application/octet-stream' },
    { url: 'https://example.com/x' },
    { data: { structValue: data } },
    { data: { listValue: { values: [{ boolValue: true }, { nullValue: 'NULL_VALUE' }] } } },
  ]
  const { message: sent, initial } = await client.call('SendMessage', { message: { ...grpcMessage(''), parts } })
  t.same(initial.get('a2a-version'), ['1.0'])
  t.equal(sent.payload, 'task')
  const { task } = sent
  t.match(task.status, {
    state: 'TASK_STATE_COMPLETED',
    message: { role: 'ROLE_AGENT' },
    timestamp: { seconds: Number },
  })
  t.same(task.artifacts[0].parts[1].raw, parts[1]!.raw)
  const read = (await rpc.rpc('echo', 'GetTask', { id: task.id })).body.result
  t.same(read.artifacts[0].parts, [
    { text: 'hi', metadata: { n: 1.5 } },
    { raw: 'AP8B', filename: 'x.bin', mediaType: 'application/octet-stream' },
    { url: 'https://example.com/x' },
    { data: { a: 1, text: 'x' } },
    { data: [true, null] },
  ])
  const got = (await client.call('GetTask', { id: task.id, historyLength: 0 })).message
  t.same([got.id, got.artifacts, got.history], [task.id, task.artifacts, undefined])
  const other = await rpc.send('weather', 'What is the weather in Utrecht?', { metadata: { stepDelayMs: 0 } })
  const viaGrpc = (await client.call('GetTask', { id: other.id, tenant: 'weather' })).message
  t.match(viaGrpc.artifacts[0].parts[0].data.structValue.fields.city, { stringValue: 'Utrecht' })
  t.equal(
    new Date(viaGrpc.status.timestamp.seconds * 1000 + viaGrpc.status.timestamp.nanos / 1e6).toISOString(),
    other.status.timestamp,
  )
})

t.test('a direct message, a list, a push config and the extended card [A2A-32]', async t => {
  const direct = (await client.call('SendMessage', { message: grpcMessage('msg: hi') })).message
  t.match(direct, { payload: 'message', message: { role: 'ROLE_AGENT', parts: [{ text: 'msg: hi' }] } })
  const { task } = (
    await client.call('SendMessage', { message: grpcMessage('x'), metadata: fast }, { 'x-svc-a2a-agent': 'approval' })
  ).message
  t.equal(task.status.state, 'TASK_STATE_INPUT_REQUIRED')
  const approval = { tenant: 'approval' }
  const list = (
    await client.call('ListTasks', {
      ...approval,
      status: 'TASK_STATE_INPUT_REQUIRED',
      statusTimestampAfter: { seconds: 1 },
      pageSize: 5,
    })
  ).message
  t.same([list.tasks.length, list.pageSize, list.totalSize], [1, 5, 1])
  const config = { ...approval, taskId: task.id, id: 'c', url: '/a2a/webhook-sink/grpc', token: 'secret' }
  t.match((await client.call('CreateTaskPushNotificationConfig', config)).message, { taskId: task.id, id: 'c' })
  t.equal(
    (await client.call('GetTaskPushNotificationConfig', { ...approval, taskId: task.id, id: 'c' })).message.token,
    'secret',
  )
  t.equal(
    (await client.call('ListTaskPushNotificationConfigs', { ...approval, taskId: task.id })).message.configs.length,
    1,
  )
  t.equal((await client.call('CancelTask', { ...approval, id: task.id })).message.status.state, 'TASK_STATE_CANCELED')
  const sink = (await (await fetch(`${url}/a2a/webhook-sink/grpc`)).json()) as Json
  t.match(sink.notifications, [
    { headers: { 'a2a-version': '1.0' }, body: { statusUpdate: { status: { state: 'TASK_STATE_CANCELED' } } } },
  ])
  t.same((await client.call('DeleteTaskPushNotificationConfig', { ...approval, taskId: task.id, id: 'c' })).message, {})

  t.match(await failure(client.call('GetExtendedAgentCard', { tenant: 'secure' })), {
    code: 'UNAUTHENTICATED',
    reason: 'UNAUTHENTICATED',
  })
  const token = (await (
    await fetch(`${url}/oauth/token`, {
      method: 'POST',
      headers: { Authorization: `Basic ${Buffer.from('svc:svc-secret').toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    })
  ).json()) as { access_token: string }
  const authorization = `Bearer ${token.access_token}`
  const card = (await client.call('GetExtendedAgentCard', { tenant: 'secure' }, { authorization })).message
  t.same(
    card.skills.map(({ id }: Json) => id),
    ['whoami', 'audit-log'],
  )
  t.match(card.securitySchemes.oauth2.oauth2SecurityScheme.flows.clientCredentials, {
    tokenUrl: /\/oauth\/token$/,
    scopes: { openid: String },
  })
  t.same(card.securityRequirements[0].schemes, { bearer: {} })
})

t.test('a stream has the events of the other bindings and ends with the final one [A2A-32]', async t => {
  const request = { tenant: 'travel-planner', message: grpcMessage('A 1-day trip to Ghent'), metadata: fast }
  const { messages, code } = await client.stream('SendStreamingMessage', request)
  t.equal(code, status.OK)
  t.same(messages.map(nameOf), [
    'task',
    'TASK_STATE_WORKING',
    'itinerary',
    'TASK_STATE_WORKING',
    'itinerary',
    'itinerary',
    'itinerary-json',
    'route-map',
    'boarding-pass',
    'TASK_STATE_COMPLETED',
  ])
  t.match(messages[4], { artifactUpdate: { append: true } })
  const { task } = (await client.call('SendMessage', { tenant: 'approval', message: grpcMessage('x'), metadata: fast }))
    .message
  const subscribed = client.stream('SubscribeToTask', { tenant: 'approval', id: task.id })
  const direct = await client.stream('SendStreamingMessage', { message: grpcMessage('msg: x') })
  t.same(direct.messages.map(nameOf), ['message'])
  await client.call('SendMessage', {
    tenant: 'approval',
    message: grpcMessage('approve', { taskId: task.id }),
    metadata: fast,
  })
  const events = await subscribed
  t.same(
    [events.messages.map(nameOf), events.code],
    [['task', 'TASK_STATE_WORKING', 'decision', 'TASK_STATE_COMPLETED'], status.OK],
  )
})

t.test('errors have the status of the table, ErrorInfo and BadRequest [A2A-33]', async t => {
  const rows: [call: () => Promise<unknown>, code: string, reason: string][] = [
    [() => client.call('GetTask', { id: 'nobody' }), 'NOT_FOUND', 'TASK_NOT_FOUND'],
    [() => client.call('GetTask', { id: 'x', tenant: 'nobody' }), 'NOT_FOUND', 'UNKNOWN_AGENT'],
    [() => client.call('GetTask', { id: 'x' }, { 'x-svc-a2a-agent': '__proto__' }), 'NOT_FOUND', 'UNKNOWN_AGENT'],
    [
      () => client.call('GetTask', { id: 'x' }, { 'a2a-version': '2.0' }),
      'FAILED_PRECONDITION',
      'VERSION_NOT_SUPPORTED',
    ],
    [
      () => client.call('GetTask', { id: 'x' }, { 'a2a-version': '0.3' }),
      'FAILED_PRECONDITION',
      'VERSION_NOT_SUPPORTED',
    ],
    [() => client.call('GetTask', {}), 'INVALID_ARGUMENT', 'INVALID_PARAMS'],
    [() => client.call('SendMessage', {}), 'INVALID_ARGUMENT', 'INVALID_PARAMS'],
    [
      () => client.call('SendMessage', { message: grpcMessage('x', { role: 'ROLE_AGENT' }) }),
      'INVALID_ARGUMENT',
      'INVALID_PARAMS',
    ],
    [
      () => client.call('SendMessage', { message: grpcMessage('x', { parts: [] }) }),
      'INVALID_ARGUMENT',
      'INVALID_PARAMS',
    ],
    [
      () => client.call('SendMessage', { message: grpcMessage('x', { parts: [{}] }) }),
      'INVALID_ARGUMENT',
      'INVALID_PARAMS',
    ],
    [
      () =>
        client.call('SendMessage', {
          message: grpcMessage('x', { parts: Array.from({ length: 101 }, () => ({ text: 'x' })) }),
        }),
      'INVALID_ARGUMENT',
      'INVALID_PARAMS',
    ],
    [() => client.call('ListTasks', { pageSize: 0 }), 'INVALID_ARGUMENT', 'INVALID_PARAMS'],
    [() => client.call('ListTasks', { statusTimestampAfter: { seconds: 9e15 } }), 'INVALID_ARGUMENT', 'INVALID_PARAMS'],
  ]
  for (const [call, code, reason] of rows) t.match(await failure(call()), { code, reason })
  const { details, message } = await failure(client.call('SendMessage', { message: grpcMessage('x', { parts: [{}] }) }))
  t.match(message, /^invalid message\.parts\[0\]/)
  t.match(details, [
    { domain: 'a2a-protocol.org', metadata: [{ key: 'timestamp' }] },
    { field_violations: [{ field: 'message.parts[0]' }] },
  ])
  const done = (await client.call('SendMessage', { message: grpcMessage('x') })).message.task
  t.match(await failure(client.call('CancelTask', { id: done.id })), {
    code: 'FAILED_PRECONDITION',
    reason: 'TASK_NOT_CANCELABLE',
  })
  const stream = await client.stream('SubscribeToTask', { id: done.id })
  t.same([stream.messages, stream.code], [[], status.FAILED_PRECONDITION])
})

t.test('data that gRPC cannot carry is an error, and names that objects inherit are data [A2A-33]', async t => {
  let deep: Json = 'x'
  for (let level = 0; level < 60; level++) deep = [deep]
  const body = { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ data: deep }] } }
  const { id } = (await rpc.rpc('echo', 'SendMessage', body)).body.result.task
  t.match(await failure(client.call('GetTask', { id })), {
    code: 'RESOURCE_EXHAUSTED',
    message: /deeper than 30 levels/,
  })
  let nested: Json = { nullValue: 'NULL_VALUE' }
  for (let level = 0; level < 5000; level++) nested = { listValue: { values: [nested] } }
  t.ok((await failure(client.call('SendMessage', { message: grpcMessage('x', { parts: [{ data: nested }] }) }))).code)
  const metadata = JSON.parse('{"fields":{"__proto__":{"stringValue":"own"}}}')
  const { task } = (await client.call('SendMessage', { message: grpcMessage('x', { metadata }) })).message
  t.match(
    (await rpc.rpc('echo', 'GetTask', { id: task.id })).body.result.history[0].metadata,
    JSON.parse('{"__proto__":"own"}'),
  )
})

t.test('a deadline or a cancelled call ends the wait, not the task [A2A-34]', async t => {
  const slow = { tenant: 'flaky', message: grpcMessage('succeed'), metadata: struct({ stepDelayMs: 400 }) }
  t.match(await failure(client.call('SendMessage', slow, {}, Date.now() + 150)), { code: 'DEADLINE_EXCEEDED' })
  const seen: Json[] = []
  const stream = client.open('SendStreamingMessage', slow)
  stream.on('data', event => seen.push(event))
  stream.on('error', () => {})
  await until(() => seen.length > 0)
  stream.cancel()
  const tasks = async () => (await client.call('ListTasks', { tenant: 'flaky' })).message.tasks
  await until(async () => (await tasks()).every(({ status: { state } }: Json) => state === 'TASK_STATE_COMPLETED'))
  t.equal((await tasks()).length, 2)
})
