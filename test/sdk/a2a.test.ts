/** The official A2A clients of both versions, unmodified: every call, both transports. */
import t, { type Test } from 'tap'
import { randomUUID } from 'node:crypto'
import {
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
  type Client,
} from '@a2a-js/sdk/client'
import { Role, TaskState, type Task } from '@a2a-js/sdk'
import * as sdk03 from 'a2a03/client'
import type { Task as Task03, Message as Message03 } from 'a2a03'
import { serve } from '../support/server.ts'

const server = await serve(t)

async function tokenFetch(): Promise<typeof fetch> {
  const response = await fetch(`${server.url}/oauth/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${Buffer.from('svc:svc-secret').toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  })
  const { access_token: token } = (await response.json()) as { access_token: string }
  return (input, init) => {
    const headers = new Headers(init?.headers)
    headers.set('Authorization', `Bearer ${token}`)
    return fetch(input, { ...init, headers })
  }
}

/** A send request with all members that the client's types require. */
const sending = (
  text: string,
  { taskId = '', immediately = false, metadata }: { taskId?: string; immediately?: boolean; metadata?: object } = {},
) => ({
  tenant: '',
  message: {
    messageId: randomUUID(),
    contextId: '',
    taskId,
    role: Role.ROLE_USER,
    parts: [{ content: { $case: 'text' as const, value: text }, metadata: undefined, filename: '', mediaType: '' }],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  },
  configuration: { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately: immediately },
  metadata,
})

async function tour(
  t: Test,
  connect: (agent: string, fetchImpl?: typeof fetch) => Promise<Client>,
  isLegacy: boolean,
): Promise<void> {
  const echo = await connect('echo')
  const task = (await echo.sendMessage(sending('hi'))) as Task
  t.equal(task.status?.state, TaskState.TASK_STATE_COMPLETED)
  t.same((await echo.getTask({ tenant: '', id: task.id })).id, task.id)
  t.ok('messageId' in (await echo.sendMessage(sending('msg: hi'))), 'a direct message')
  await t.rejects(echo.getTask({ tenant: '', id: 'nobody' }), { name: 'TaskNotFoundError' })
  await t.rejects(echo.cancelTask({ tenant: '', id: task.id, metadata: undefined }), { name: 'TaskNotCancelableError' })
  if (!isLegacy) {
    const { tasks } = await echo.listTasks({
      tenant: '',
      contextId: task.contextId,
      status: TaskState.TASK_STATE_UNSPECIFIED,
      pageToken: '',
      statusTimestampAfter: undefined,
    })
    t.same(
      tasks.map(({ id }) => id),
      [task.id],
    )
  }

  const planner = await connect('travel-planner')
  const kinds: string[] = []
  for await (const event of planner.sendMessageStream(
    sending('A 2-day trip to Ghent', { metadata: { stepDelayMs: 1 } }),
  ))
    kinds.push(event.payload?.$case ?? '')
  t.equal(kinds[0], 'task')
  t.equal(kinds.at(-1), 'statusUpdate')
  t.equal(kinds.filter(kind => kind === 'artifactUpdate').length, 7)

  const slow = (await planner.sendMessage(
    sending('A trip', { immediately: true, metadata: { stepDelayMs: 5000 } }),
  )) as Task
  t.equal(slow.status?.state, TaskState.TASK_STATE_SUBMITTED)
  const sink = `/a2a/webhook-sink/${slow.id}`
  const config = await planner.createTaskPushNotificationConfig({
    tenant: '',
    id: 'c-1',
    taskId: slow.id,
    url: sink,
    token: 't-1',
    authentication: { scheme: 'Bearer', credentials: 'secret' },
  })
  t.match(config, { id: 'c-1', url: sink, token: 't-1' })
  t.match(await planner.getTaskPushNotificationConfig({ tenant: '', id: 'c-1', taskId: slow.id }), {
    id: 'c-1',
    url: sink,
  })
  t.equal(
    (await planner.listTaskPushNotificationConfig({ tenant: '', taskId: slow.id, pageSize: 0, pageToken: '' })).configs
      .length,
    1,
  )
  const watching = (async () => {
    const seen: string[] = []
    for await (const event of planner.resubscribeTask({ tenant: '', id: slow.id })) {
      seen.push(event.payload?.$case ?? '')
      if (seen.length === 1) await planner.cancelTask({ tenant: '', id: slow.id, metadata: undefined })
    }
    return seen
  })()
  t.same(await watching, ['task', 'statusUpdate'])
  const { notifications } = (await (await fetch(server.url + sink)).json()) as {
    notifications: { headers: Record<string, string> }[]
  }
  t.match(notifications, [{ headers: { authorization: 'Bearer secret', 'x-a2a-notification-token': 't-1' } }])
  await planner.deleteTaskPushNotificationConfig({ tenant: '', id: 'c-1', taskId: slow.id })

  const stranger = await connect('secure')
  const waiting = (await stranger.sendMessage(sending('Who am I?'))) as Task
  t.equal(waiting.status?.state, TaskState.TASK_STATE_AUTH_REQUIRED)
  const secure = await connect('secure', await tokenFetch())
  const done = (await secure.sendMessage(sending('Who am I?', { taskId: waiting.id }))) as Task
  t.equal(done.status?.state, TaskState.TASK_STATE_COMPLETED)
  t.same(
    (await secure.getAgentCard()).skills.map(({ id }) => id),
    ['whoami', 'audit-log'],
  )
}

for (const transport of ['JSONRPC', 'HTTP+JSON']) {
  const connectWith = (cardPath: string, isLegacy: boolean) => (agent: string, fetchImpl?: typeof fetch) => {
    const options = { ...(fetchImpl ? { fetchImpl } : {}), ...(isLegacy ? { legacyCompat: { enabled: true } } : {}) }
    const factory = new ClientFactory({
      transports: [new JsonRpcTransportFactory(options), new RestTransportFactory(options)],
      preferredTransports: [transport],
      ...(isLegacy ? { cardResolver: new DefaultAgentCardResolver({ legacyCompat: { enabled: true } }) } : {}),
    })
    return factory.createFromUrl(`${server.url}/a2a/${agent}/${cardPath}`, '')
  }
  t.test(`the client of 1.0 makes every call over ${transport} [A2A-40]`, t =>
    tour(t, connectWith('.well-known/agent-card.json', false), false),
  )
  t.test(`the client of 1.0 in its legacy mode makes every call over ${transport} [A2A-40]`, t =>
    tour(t, connectWith('.well-known/agent.json', true), true),
  )

  t.test(`the client of 1.0 meets faults that its messages ask for, over ${transport} [A2A-43, A2A-44]`, async t => {
    const client = await connectWith('.well-known/agent-card.json', false)('weather')
    const failing = (fault: string) => {
      const request = sending('Utrecht', { metadata: { stepDelayMs: 0 } })
      return { ...request, message: { ...request.message, metadata: { 'svc.fail': fault } } }
    }
    const streamed = async (fault: string): Promise<{ count: number; error: unknown }> => {
      let count = 0
      try {
        for await (const _event of client.sendMessageStream(failing(fault))) count++
      } catch (error) {
        return { count, error }
      }
      return { count, error: null }
    }
    for (const fault of ['401', 'rpc-error', 'bad-json']) await t.rejects(client.sendMessage(failing(fault)), fault)
    t.equal(((await client.sendMessage(failing('redirect'))) as Task).status?.state, TaskState.TASK_STATE_COMPLETED)
    t.match(await streamed('cut@2'), { count: 2, error: Error })
    t.same(await streamed('no-final'), { count: 3, error: null }, 'the client does not notice')
    t.equal((await streamed('bad-sse')).count, 0)
    const { id } = (await client.sendMessage(failing('vanish'))) as Task
    t.equal((await client.getTask({ tenant: '', id })).id, id)
    await t.rejects(client.getTask({ tenant: '', id }))
  })

  for (const cardPath of ['.well-known/agent-card.json', '.well-known/agent.json']) {
    t.test(`the client of 0.3 makes every call over ${transport} from ${cardPath} [A2A-41]`, async t => {
      const connect = (agent: string, fetchImpl?: typeof fetch) => {
        const options = fetchImpl ? { fetchImpl } : {}
        const factory = new sdk03.ClientFactory({
          transports: [new sdk03.JsonRpcTransportFactory(options), new sdk03.RestTransportFactory(options)],
          preferredTransports: [transport],
        })
        return factory.createFromUrl(`${server.url}/a2a/${agent}/${cardPath}`, '')
      }
      const message = (text: string, taskId?: string): Message03 => ({
        kind: 'message',
        messageId: randomUUID(),
        role: 'user',
        parts: [{ kind: 'text', text }],
        ...(taskId ? { taskId } : {}),
      })
      const echo = await connect('echo')
      const task = (await echo.sendMessage({ message: message('hi') })) as Task03
      t.match(task, { kind: 'task', status: { state: 'completed' } })
      t.match(await echo.getTask({ id: task.id }), { id: task.id })
      t.match(await echo.sendMessage({ message: message('msg: hi') }), {
        kind: 'message',
        parts: [{ kind: 'text', text: 'msg: hi' }],
      })
      await t.rejects(echo.getTask({ id: 'nobody' }), { name: 'TaskNotFoundError' })
      await t.rejects(echo.cancelTask({ id: task.id }), { name: 'TaskNotCancelableError' })

      const planner = await connect('travel-planner')
      const kinds: string[] = []
      for await (const event of planner.sendMessageStream({
        message: { ...message('A 2-day trip to Ghent'), metadata: { stepDelayMs: 1 } },
      }))
        kinds.push(event.kind)
      t.equal(kinds[0], 'task')
      t.equal(kinds.at(-1), 'status-update')
      t.equal(kinds.filter(kind => kind === 'artifact-update').length, 7)

      const slow = (await planner.sendMessage({
        message: { ...message('A trip'), metadata: { stepDelayMs: 5000 } },
        configuration: { blocking: false },
      })) as Task03
      t.match(slow, { status: { state: 'submitted' } })
      const sink = `/a2a/webhook-sink/${slow.id}`
      const config = await planner.setTaskPushNotificationConfig({
        taskId: slow.id,
        pushNotificationConfig: { id: 'c-1', url: sink, token: 't-1' },
      })
      t.match(config.pushNotificationConfig, { id: 'c-1', url: sink })
      const named = { id: slow.id, pushNotificationConfigId: 'c-1' }
      t.match((await planner.getTaskPushNotificationConfig(named)).pushNotificationConfig, { id: 'c-1', url: sink })
      t.equal((await planner.listTaskPushNotificationConfig({ id: slow.id })).length, 1)
      const seen: string[] = []
      for await (const event of planner.resubscribeTask({ id: slow.id })) {
        seen.push(event.kind)
        if (seen.length === 1) await planner.cancelTask({ id: slow.id })
      }
      t.same(seen, ['task', 'status-update'])
      const { notifications } = (await (await fetch(server.url + sink)).json()) as { notifications: { body: object }[] }
      t.match(notifications, [{ body: { kind: 'task', status: { state: 'canceled' } } }])
      await planner.deleteTaskPushNotificationConfig({ id: slow.id, pushNotificationConfigId: 'c-1' })

      const waiting = (await (await connect('secure')).sendMessage({ message: message('Who am I?') })) as Task03
      t.match(waiting, { status: { state: 'auth-required' } })
      const secure = await connect('secure', await tokenFetch())
      t.match(await secure.sendMessage({ message: message('Who am I?', waiting.id) }), {
        status: { state: 'completed' },
      })
      t.same(
        (await secure.getAgentCard()).skills.map(({ id }) => id),
        ['whoami', 'audit-log'],
      )
    })
  }
}
