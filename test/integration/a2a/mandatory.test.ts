/** The mandatory rules of A2A 1.0 in all bindings, at URLs with a slash at the end, as clients make them of a base URL. */
import t from 'tap'
import type { ServiceError } from '@grpc/grpc-js'
import { Caller, COMBINATIONS, eventsOf, type Json, nameOf } from '../../support/a2a.ts'
import { GrpcCaller, struct } from '../../support/a2a-grpc-client.ts'
import { serve } from '../../support/server.ts'

t.setTimeout(600_000)

const { url, ports } = await serve(t, { plugins: ['a2a', 'a2a-grpc', 'grpc', 'identity'] })
const session = 'mandatory'
const rpc = new Caller(url, COMBINATIONS[0]!, session)
const http = new Caller(url, COMBINATIONS[1]!, session)
const grpc = new GrpcCaller(`127.0.0.1:${ports.grpc}`, { 'x-svc-session': session })
t.teardown(() => grpc.close())

type Outcome = { result: Json } | { reason: string }

/** Performs an operation of an agent by its name and the JSON of its parameters. */
interface Binding {
  name: string
  perform(agent: string, method: string, params: Json, version?: string): Promise<Outcome>
  /** Names of the events, or the reason of the error. */
  stream(agent: string, method: string, params: Json): Promise<string[] | string>
}

/** Method and path below `/a2a/{agent}/v1/`. */
function routeOf(method: string, { id, taskId, ...rest }: Json): [string, string] {
  const query = new URLSearchParams(rest as Record<string, string>)
  const configs = `tasks/${taskId}/pushNotificationConfigs`
  const routes: Record<string, [string, string]> = {
    SendMessage: ['POST', 'message:send/'],
    SendStreamingMessage: ['POST', 'message:stream/'],
    GetTask: ['GET', `tasks/${id}/?${query}`],
    ListTasks: ['GET', `tasks/?${query}`],
    CancelTask: ['POST', `tasks/${id}:cancel/`],
    SubscribeToTask: ['GET', `tasks/${id}:subscribe/`],
    CreateTaskPushNotificationConfig: ['POST', `${configs}/`],
    GetTaskPushNotificationConfig: ['GET', `${configs}/${id}/`],
    ListTaskPushNotificationConfigs: ['GET', `${configs}/`],
    DeleteTaskPushNotificationConfig: ['DELETE', `${configs}/${id}/`],
    GetExtendedAgentCard: ['GET', 'extendedAgentCard/'],
  }
  return routes[method]!
}

const reasonOf = ({ error }: Json): string => (error.data ?? error.details)[0].reason

const jsonRpc: Binding = {
  name: 'JSON-RPC',
  async perform(agent, method, params, version = '1.0') {
    const { body } = await rpc.rpc(`${agent}/`, method, params, { 'A2A-Version': version })
    return body.error ? { reason: reasonOf(body) } : { result: body.result }
  },
  async stream(agent, method, params) {
    const response = await rpc.post(`/a2a/${agent}/`, { jsonrpc: '2.0', id: 's', method, params })
    const text = await response.text()
    if (!response.headers.get('content-type')!.startsWith('text/event-stream')) return reasonOf(JSON.parse(text))
    return eventsOf(text).map(nameOf)
  },
}

const httpJson: Binding = {
  name: 'HTTP+JSON',
  async perform(agent, method, params, version = '1.0') {
    const [verb, path] = routeOf(method, params)
    const body = verb === 'POST' && method !== 'CancelTask' ? params : undefined
    const reply = await http.http(verb, `/a2a/${agent}/v1/${path}`, body, { 'A2A-Version': version })
    return reply.body.error ? { reason: reasonOf(reply.body) } : { result: reply.body }
  },
  async stream(agent, method, params) {
    const [verb, path] = routeOf(method, params)
    const response = await fetch(`${url}/a2a/${agent}/v1/${path}`, {
      method: verb,
      headers: http.headers(),
      ...(verb === 'POST' ? { body: JSON.stringify(params) } : {}),
    })
    const text = await response.text()
    if (response.status !== 200) return reasonOf(JSON.parse(text))
    return eventsOf(text).map(nameOf)
  },
}

/** The reason is a text in the details of the status. */
function grpcReason({ metadata }: ServiceError): string {
  const [details] = metadata.get('grpc-status-details-bin') as Buffer[]
  return /[A-Z_]{8,}/.exec(details!.subarray(details!.indexOf('google.rpc.ErrorInfo')).toString('latin1'))![0]
}

const grpcNames = ({ payload, ...event }: Json): string =>
  payload === 'statusUpdate'
    ? event.statusUpdate.status.state.replace('TASK_STATE_', '')
    : payload === 'artifactUpdate'
      ? event.artifactUpdate.artifact.artifactId
      : payload

const overGrpc: Binding = {
  name: 'gRPC',
  perform: (agent, method, params, version = '1.0') =>
    grpc.call(method, { tenant: agent, ...params }, { 'a2a-version': version }).then(
      ({ message }) => ({ result: message }),
      (error: ServiceError) => ({ reason: grpcReason(error) }),
    ),
  stream: (agent, method, params) =>
    new Promise(resolve => {
      const names: string[] = []
      const stream = grpc.open(method, { tenant: agent, ...params })
      stream.on('data', event => names.push(grpcNames(event)))
      stream.on('error', (error: ServiceError) => resolve(grpcReason(error)))
      stream.on('end', () => resolve(names))
    }),
}

const message = (text: string, more: object = {}) => ({
  message: { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text }], ...more },
})

for (const binding of [jsonRpc, httpJson, overGrpc]) {
  const isGrpc = binding === overGrpc
  const fast = { metadata: isGrpc ? struct({ stepDelayMs: 0 }) : { stepDelayMs: 0 } }
  const send = async (agent: string, params: Json): Promise<Json> => {
    const outcome = await binding.perform(agent, 'SendMessage', params)
    if ('reason' in outcome) throw new Error(outcome.reason)
    return outcome.result.task ?? outcome.result.message
  }
  const reason = async (agent: string, method: string, params: Json, version?: string): Promise<string> => {
    const outcome = await binding.perform(agent, method, params, version)
    return 'reason' in outcome ? outcome.reason : 'none'
  }

  t.test(`a message makes a task with its own ids, or is answered by a message: ${binding.name} [A2A-49]`, async t => {
    const task = await send('echo', message('hi', { contextId: `c-${binding.name}` }))
    t.match(task, { id: /.+/, contextId: `c-${binding.name}`, status: { state: 'TASK_STATE_COMPLETED' } })
    t.match(task.history[0], { messageId: 'm-1', taskId: task.id, role: 'ROLE_USER' })
    t.match(task.artifacts[0].parts[0], { text: 'hi' })
    t.match(await send('echo', message('msg: hi')), { role: 'ROLE_AGENT', messageId: /.+/, parts: [{}] })
    const again = await send('echo', message('hi', { contextId: `c-${binding.name}` }))
    t.not(again.id, task.id)
    t.equal(again.contextId, task.contextId)
  })

  t.test(
    `tasks are read, with as much history as asked for, and listed in pages: ${binding.name} [A2A-49]`,
    async t => {
      const contextId = `list-${binding.name}`
      const tasks: Json[] = []
      for (let index = 0; index < 3; index++) tasks.push(await send('echo', message(`${index}`, { contextId })))
      const read = async (params: Json): Promise<Json> => {
        const outcome = await binding.perform('echo', 'GetTask', params)
        return 'result' in outcome ? outcome.result : outcome
      }
      t.match(await read({ id: tasks[0].id }), { id: tasks[0].id, history: [{}] })
      t.equal((await read({ id: tasks[0].id, historyLength: 0 })).history, undefined)
      const page = async (params: Json): Promise<Json> => {
        const outcome = await binding.perform('echo', 'ListTasks', { contextId, ...params })
        return 'result' in outcome ? outcome.result : outcome
      }
      const first = await page({ pageSize: 2 })
      t.equal(first.totalSize, 3)
      t.same(
        first.tasks.map(({ id }: Json) => id),
        [tasks[2].id, tasks[1].id],
        'the latest first',
      )
      t.notOk(first.tasks[0].artifacts?.length, 'artifacts only if asked for')
      const rest = await page({ pageSize: 2, pageToken: first.nextPageToken })
      t.same(
        rest.tasks.map(({ id }: Json) => id),
        [tasks[0].id],
      )
      t.notOk(rest.nextPageToken)
      t.match((await page({ includeArtifacts: true })).tasks[0].artifacts, [{ artifactId: 'echo' }])
      t.equal(await reason('echo', 'ListTasks', { pageSize: 101 }), 'INVALID_PARAMS')
    },
  )

  t.test(`what is unknown or over is refused: ${binding.name} [A2A-49]`, async t => {
    for (const method of ['GetTask', 'CancelTask'])
      t.equal(await reason('echo', method, { id: 'unknown' }), 'TASK_NOT_FOUND', method)
    t.equal(await binding.stream('echo', 'SubscribeToTask', { id: 'unknown' }), 'TASK_NOT_FOUND')
    const { id, contextId } = await send('echo', message('hi'))
    t.equal(await reason('echo', 'CancelTask', { id }), 'TASK_NOT_CANCELABLE')
    t.equal(await reason('echo', 'SendMessage', message('more', { taskId: id })), 'UNSUPPORTED_OPERATION')
    t.equal(await reason('echo', 'SendMessage', message('more', { taskId: 'unknown' })), 'TASK_NOT_FOUND')
    t.equal(await binding.stream('echo', 'SubscribeToTask', { id }), 'UNSUPPORTED_OPERATION')
    const waiting = await send('approval', { ...message('boat'), ...fast })
    t.equal(waiting.status.state, 'TASK_STATE_INPUT_REQUIRED')
    const other = message('approve', { taskId: waiting.id, contextId })
    t.equal(await reason('approval', 'SendMessage', other), 'INVALID_PARAMS', 'a context of another task')
    const canceled = await binding.perform('approval', 'CancelTask', { id: waiting.id })
    t.match(canceled, { result: { status: { state: 'TASK_STATE_CANCELED' } } })
  })

  t.test(`messages that are not complete are refused: ${binding.name} [A2A-49]`, async t => {
    const { messageId: _, ...nameless } = message('x').message
    for (const [name, params] of Object.entries({
      'no message': {},
      'no id': { message: nameless },
      'no parts': message('x', { parts: [] }),
      'an agent': message('x', { role: 'ROLE_AGENT' }),
      'an empty part': message('x', { parts: [{}] }),
    }))
      t.equal(await reason('echo', 'SendMessage', params), 'INVALID_PARAMS', name)
    const image = { raw: isGrpc ? Buffer.from('x') : 'eA==', mediaType: 'image/png' }
    t.equal(await reason('flaky', 'SendMessage', message('x', { parts: [image] })), 'CONTENT_TYPE_NOT_SUPPORTED')
    t.equal(await reason('echo', 'SendMessage', message('x'), '9.9'), 'VERSION_NOT_SUPPORTED')
    t.equal(await reason('echo', 'GetExtendedAgentCard', {}), 'UNSUPPORTED_OPERATION')
    t.equal(await reason('secure', 'GetExtendedAgentCard', {}), 'UNAUTHENTICATED')
  })

  t.test(`a stream has the task, its updates and the final one: ${binding.name} [A2A-49]`, async t => {
    t.same(await binding.stream('weather', 'SendStreamingMessage', { ...message('x'), ...fast }), [
      'task',
      'WORKING',
      'forecast',
      'COMPLETED',
    ])
    t.same(await binding.stream('echo', 'SendStreamingMessage', message('msg: x')), ['message'])
    t.equal(await binding.stream('no-stream', 'SendStreamingMessage', message('x')), 'UNSUPPORTED_OPERATION')
  })

  t.test(`push notification configs are created, read, listed and deleted: ${binding.name} [A2A-49]`, async t => {
    const { id: taskId } = await send('echo', message('hi'))
    const config = { taskId, id: 'p-1', url: '/a2a/webhook-sink/mandatory', token: 'secret' }
    const perform = async (method: string, params: Json): Promise<Json> => {
      const outcome = await binding.perform('echo', method, params)
      return 'result' in outcome ? outcome.result : outcome
    }
    t.match(await perform('CreateTaskPushNotificationConfig', config), { id: 'p-1', url: config.url })
    t.match(await perform('GetTaskPushNotificationConfig', { taskId, id: 'p-1' }), { id: 'p-1', token: 'secret' })
    t.match(await perform('ListTaskPushNotificationConfigs', { taskId }), { configs: [{ id: 'p-1' }] })
    await perform('DeleteTaskPushNotificationConfig', { taskId, id: 'p-1' })
    t.match(await perform('GetTaskPushNotificationConfig', { taskId, id: 'p-1' }), { reason: 'TASK_NOT_FOUND' })
    t.equal(await reason('no-stream', 'ListTaskPushNotificationConfigs', { taskId }), 'PUSH_NOTIFICATION_NOT_SUPPORTED')
  })
}

t.test('JSON-RPC: the id of the request is returned, and errors have the codes of the standard [A2A-49]', async t => {
  const post = async (body: unknown): Promise<Json> => {
    const headers = rpc.headers({ 'Content-Type': 'application/json' })
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return (await (await fetch(`${url}/a2a/`, { method: 'POST', headers, body: text })).json()) as Json
  }
  const request = { jsonrpc: '2.0', method: 'SendMessage', params: message('x') }
  for (const id of [7, 'seven', null]) t.equal((await post({ ...request, id })).id, id)
  for (const [body, code] of [
    ['{', -32700],
    [{ ...request, jsonrpc: '1.0', id: 1 }, -32600],
    [{ jsonrpc: '2.0', id: 1 }, -32600],
    [{ ...request, id: 1, method: 'Unknown' }, -32601],
    [{ ...request, id: 1, params: [] }, -32602],
  ] as const)
    t.equal((await post(body)).error.code, code)
})

t.test('the card has what the standard requires, and its URLs answer [A2A-49]', async t => {
  for (const base of [url, `${url}/a2a`, `${url}/a2a/echo`]) {
    const card = (await (await fetch(`${base}/.well-known/agent-card.json`)).json()) as Json
    for (const field of [
      'name',
      'description',
      'version',
      'supportedInterfaces',
      'capabilities',
      'defaultInputModes',
      'defaultOutputModes',
      'skills',
    ])
      t.ok(card[field], `${base}: ${field}`)
    for (const { id, name, description, tags } of card.skills) t.ok(id && name && description && tags.length > 0)
    for (const { url: target, protocolBinding, protocolVersion } of card.supportedInterfaces.slice(0, 2)) {
      const isRpc = protocolBinding === 'JSONRPC'
      const response = await fetch(isRpc ? `${target}/` : `${target}/tasks/`, {
        method: isRpc ? 'POST' : 'GET',
        headers: rpc.headers({ 'A2A-Version': protocolVersion }),
        ...(isRpc ? { body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ListTasks', params: {} }) } : {}),
      })
      t.equal(response.status, 200, target)
      t.ok(((await response.json()) as Json)[isRpc ? 'result' : 'tasks'])
    }
  }
})
