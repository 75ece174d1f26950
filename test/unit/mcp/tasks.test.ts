/** Tasks that several replicas share, without HTTP. */
import t, { type Test } from 'tap'
import { StateRegistry } from '../../../core/state/state-registry.ts'
import type { Channel, Svc, SvcReplicas } from '../../../core/contract/plugin.ts'
import { boundsOf } from '../../../plugins/mcp/bounds.ts'
import type { Call } from '../../../plugins/mcp/servers/call.ts'
import type { RunningTask } from '../../../plugins/mcp/tasks/running-task.ts'
import { openTaskStore, openTaskUpdates } from '../../../plugins/mcp/tasks/task-record.ts'
import { type TaskMessage, Tasks } from '../../../plugins/mcp/tasks/tasks.ts'
import { STATELESS } from '../../../plugins/mcp/protocol/versions.ts'
import { flush } from '../../support/mcp-sessions.ts'

const owner = { server: 'tasks', principal: 'everybody' }
const call = {
  version: STATELESS,
  conversation: { clientCapabilities: new Set(['elicitation']) },
} as unknown as Call
const question = { method: 'elicitation/create', params: { message: 'Name?' } } as const

/** Two replicas that share tasks. `lose` ends the second one. */
function openReplicas(t: Test, more: Partial<ReturnType<typeof boundsOf>> = {}) {
  const bounds = { ...boundsOf({ publicMode: false }), ...more }
  const registry = new StateRegistry({ isStrict: true })
  t.teardown(() => registry.close())
  const svc = registry.hold(1, 'mcp', 'test') as unknown as Svc
  const store = openTaskStore(svc, bounds)
  const updates = openTaskUpdates(svc, bounds, store)
  const living = new Map<string, Tasks>()
  let onGone: (replica: string) => void = () => {}
  const open = (self: string): Tasks => {
    const replicas: SvcReplicas = {
      self,
      list: () => [...living.keys()].map(replica => ({ replica, instanceId: replica, startedAt: '' })),
      isLeader: () => self === 'aaaa',
      onGone: listener => {
        if (self === 'aaaa') onGone = listener
        return () => {}
      },
    }
    const tasks = new Tasks({ store, updates, replicas, bounds })
    tasks.connect({
      ask: async (to: string, message: TaskMessage) => living.get(to)!.receive(structuredClone(message)),
    } as unknown as Channel<TaskMessage, void>)
    living.set(self, tasks)
    t.teardown(() => tasks.close())
    return tasks
  }
  const [a, b] = [open('aaaa'), open('bbbb')]
  const lose = (): void => {
    living.delete('bbbb')
    onGone('bbbb')
  }
  return { a, b, lose }
}

/** Starts a task that asks for a name. */
async function ask(tasks: Tasks): Promise<RunningTask> {
  const task = await tasks.open(owner)
  const work = async () => {
    const { name } = await task.ask({ name: question }, call)
    return { content: [{ type: 'text', text: JSON.stringify(name) }] }
  }
  void task.run(work, error => {
    throw error
  })
  await tasks.publish(task)
  return task
}

t.test('answers and cancellations reach the replica that runs the task [MCPX-7]', async t => {
  const { a, b } = openReplicas(t)
  const first = await ask(a)
  const seen = await b.find(first.id, owner)
  t.equal(seen.record.status, 'input_required')
  const [key] = Object.keys(seen.record.questions)
  const shown: unknown[] = []
  b.follow(first.id, task => shown.push([task.status, 'result' in task && task.result !== undefined]))
  await b.answer(first.id, seen.record, { [key!]: { action: 'accept' } })
  await first.over
  await flush()
  t.match((await b.find(first.id, owner)).record, { status: 'completed', questions: {} })
  t.strictSame(shown, [
    ['input_required', false],
    ['working', false],
    ['completed', true],
  ])
  const second = await ask(a)
  await b.cancel(second.id, second.record)
  await second.over
  await flush()
  t.equal((await b.find(second.id, owner)).record.status, 'cancelled')
})

t.test('tasks of a replica that is gone have failed [MCPX-7]', async t => {
  const { a, b, lose } = openReplicas(t)
  const task = await ask(b)
  const shown: unknown[] = []
  a.follow(task.id, ({ status }) => shown.push(status))
  await flush()
  lose()
  await flush()
  const { record } = await a.find(task.id, owner)
  t.match(record, { status: 'failed', error: { code: -32603, message: 'the instance that ran the task is gone' } })
  t.strictSame(shown, ['input_required', 'failed'])
})

t.test('a task ends at the end of its life, and is unknown then [MCPX-4]', async t => {
  const { a } = openReplicas(t, { taskLifeMs: 60 })
  const task = await ask(a)
  const shown: unknown[] = []
  a.follow(task.id, ({ status }) => shown.push(status))
  await task.over
  await flush()
  t.ok(task.signal.aborted)
  t.strictSame(shown, ['input_required', 'cancelled'])
  await t.rejects(a.find(task.id, owner), { code: -32602, message: 'Unknown task' })
})

t.test('finished tasks are evicted first, open questions are limited [MCPX-4]', async t => {
  const { a } = openReplicas(t, { tasksPerPrincipal: 2, taskQuestions: 2 })
  const finished = await ask(a)
  finished.cancel()
  await finished.over
  await flush()
  const kept = await ask(a)
  const newest = await ask(a)
  await t.rejects(a.find(finished.id, owner), { code: -32602 })
  await t.rejects(ask(a), { code: -32603, message: 'too many tasks' })
  t.strictSame(await a.known([finished.id, kept.id, newest.id], owner), [kept.id, newest.id])
  await t.rejects(kept.ask({ one: question, two: question }, call), { code: -32603, message: /Too many questions/ })
})
