/** The official A2A client over gRPC, unmodified, with the card that has the gRPC interface. */
import { Role, TaskState, type Task } from '@a2a-js/sdk'
import { ClientFactory, type Client } from '@a2a-js/sdk/client'
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc'
import { randomUUID } from 'node:crypto'
import t from 'tap'
import { serve } from '../support/server.ts'

const server = await serve(t, { plugins: ['a2a', 'a2a-grpc', 'grpc', 'identity', 'echo'] })

function connect(agent: string): Promise<Client> {
  const factory = new ClientFactory({ transports: [new GrpcTransportFactory()], preferredTransports: ['GRPC'] })
  return factory.createFromUrl(`${server.url}/a2a/${agent}/cards/grpc`, '')
}

const sending = (
  text: string,
  {
    tenant,
    taskId = '',
    immediately = false,
    metadata,
  }: { tenant: string; taskId?: string; immediately?: boolean; metadata?: object },
) => ({
  tenant,
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

t.test('the official client makes every call [A2A-42]', async t => {
  const tenant = 'travel-planner'
  const planner = await connect(tenant)
  const kinds: string[] = []
  for await (const event of planner.sendMessageStream(
    sending('A 2-day trip to Ghent', { tenant, metadata: { stepDelayMs: 1 } }),
  ))
    kinds.push(event.payload?.$case ?? '')
  t.equal(kinds[0], 'task')
  t.equal(kinds.at(-1), 'statusUpdate')
  t.equal(kinds.filter(kind => kind === 'artifactUpdate').length, 7)
  const slow = (await planner.sendMessage(
    sending('A trip', { tenant, immediately: true, metadata: { stepDelayMs: 5000 } }),
  )) as Task
  t.equal(slow.status?.state, TaskState.TASK_STATE_SUBMITTED)
  const config = await planner.createTaskPushNotificationConfig({
    tenant,
    id: 'c-1',
    taskId: slow.id,
    url: `/a2a/webhook-sink/${slow.id}`,
    token: 't-1',
    authentication: { scheme: 'Bearer', credentials: 'secret' },
  })
  t.match(config, { id: 'c-1', token: 't-1', authentication: { scheme: 'Bearer' } })
  t.match(await planner.getTaskPushNotificationConfig({ tenant, id: 'c-1', taskId: slow.id }), { id: 'c-1' })
  const watching: string[] = []
  for await (const event of planner.resubscribeTask({ tenant, id: slow.id })) {
    watching.push(event.payload?.$case ?? '')
    if (watching.length === 1) await planner.cancelTask({ tenant, id: slow.id, metadata: undefined })
  }
  t.same(watching, ['task', 'statusUpdate'])
  await planner.deleteTaskPushNotificationConfig({ tenant, id: 'c-1', taskId: slow.id })
  t.equal((await planner.getTask({ tenant, id: slow.id })).status?.state, TaskState.TASK_STATE_CANCELED)
  const { tasks } = await planner.listTasks({
    tenant,
    contextId: slow.contextId,
    status: TaskState.TASK_STATE_UNSPECIFIED,
    pageToken: '',
    statusTimestampAfter: undefined,
  })
  t.same(
    tasks.map(({ id }) => id),
    [slow.id],
  )
  await t.rejects(planner.getTask({ tenant, id: 'nobody' }), { name: 'TaskNotFoundError' })
  await t.rejects(planner.cancelTask({ tenant, id: slow.id, metadata: undefined }), { name: 'TaskNotCancelableError' })
  const echo = await connect('echo')
  t.ok('messageId' in (await echo.sendMessage(sending('msg: hi', { tenant: 'echo' }))), 'a direct message')
})
