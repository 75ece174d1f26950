/** The memory of full stores: MCP sessions and tasks [HARD-12]. Runs alone: it measures the heap. */
import t from 'tap'
import { boundsOf as mcpBounds } from '../../../plugins/mcp/bounds.ts'
import { openTaskStore, openTaskUpdates, type TaskRecord } from '../../../plugins/mcp/tasks/task-record.ts'
import { openHubs, parameters } from '../../support/mcp-sessions.ts'
import { pluginState } from '../../support/plugin-state.ts'
import { MIB, own, ascii, wideFor, bounded, times } from '../../support/store-memory.ts'

t.test('mcp: svc.state "sessions" and svc.eventLog "messages" [HARD-12]', async t => {
  const open = (bounds: Parameters<typeof openHubs>[0]) => {
    const { hubs, close } = openHubs({ sessions: 1e6, sessionBytes: 16 * MIB, sessionIdleMs: 60_000, ...bounds })
    t.teardown(close)
    return hubs[0].sessions
  }
  await t.test('sessions with subscriptions', async t =>
    bounded(t, 16 * MIB, async () => {
      const sessions = open({})
      await times(4_000, async index => {
        const session = await sessions.create(parameters)
        const subscriptions = Array.from({ length: 32 }, (_, place) => own(`test://ж/${index}/${place}`))
        await sessions.change(session, () => ({ subscriptions }))
      })
      return sessions
    }),
  )
  await t.test('sessions without anything', async t =>
    bounded(t, 16 * MIB, async () => {
      const sessions = open({})
      await times(20_000, () => sessions.create(parameters))
      return sessions
    }),
  )
  for (const [name, text] of Object.entries({
    'tiny messages': () => ascii('{}'),
    'messages of two bytes a character': () => wideFor(60_000),
  })) {
    await t.test(name, async t =>
      bounded(t, 16 * MIB, async () => {
        const sessions = open({ replayMessages: 1e6, replayBytes: MIB, totalBytes: 16 * MIB })
        const all = await Promise.all(Array.from({ length: 32 }, () => sessions.create(parameters)))
        for (const { id } of all)
          await times(name === 'tiny messages' ? 8_000 : 20, index =>
            sessions.keep(id, { stream: 1, position: index, text: text(), isLast: false }),
          )
        return sessions
      }),
    )
  }
})

t.test('mcp: svc.state "tasks" and svc.eventLog "task-updates" [HARD-12]', async t => {
  const bounds = { ...mcpBounds({ publicMode: false }), tasks: 1e6, tasksPerPrincipal: 1e6, taskBytes: 16 * MIB }
  const open = (taskBytes: number, updateBytes: number) => {
    const { svc } = pluginState({ publicMode: false })
    const store = openTaskStore(svc, { ...bounds, taskBytes })
    return { store, updates: openTaskUpdates(svc, { ...bounds, taskBytes: updateBytes }, store) }
  }
  const task = (result: TaskRecord['result']): TaskRecord => ({
    server: 'tasks',
    principal: 'everybody',
    replica: 'aaaaaaaaaaaa',
    status: 'completed',
    statusMessage: wideFor(400),
    createdAt: 1,
    revision: 1,
    lastUpdatedAt: 2,
    ttlMs: 60_000,
    questions: {},
    result,
    error: null,
  })
  for (const [name, count, result] of [
    ['tasks without a result', 30_000, () => null],
    ['large results', 200, () => ({ text: wideFor(200_000) })],
    ['results of many values', 300, () => ({ content: Array.from({ length: 5000 }, (_, index) => ({ index })) })],
  ] as const) {
    await t.test(name, async t =>
      bounded(t, 16 * MIB, async () => {
        const { store } = open(16 * MIB, 1)
        await times(count, index =>
          store.set(`tsk_${index}`, task(result()), { group: own(`ж ${index}`), spare: true }),
        )
        return store
      }),
    )
  }
  await t.test('changes', async t =>
    bounded(t, 16 * MIB, async () => {
      const { store, updates } = open(64 * MIB, 16 * MIB)
      await times(1000, async index => {
        await store.set(`tsk_${index}`, task(null))
        const { result: _, ...update } = task(null)
        await times(64, () => updates.append(`tsk_${index}`, { ...update, statusMessage: wideFor(400) }))
      })
      // The tasks themselves are not counted here.
      await store.clear(() => false)
      return updates
    }),
  )
})
