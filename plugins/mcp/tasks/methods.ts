/** Owns `tasks/get`, `tasks/update` and `tasks/cancel`. */
import type { TaskMethodName } from '../protocol/headers.ts'
import type { Call, Method, MethodResult } from '../servers/call.ts'
import { methodNotFound } from '../errors.ts'
import { missingExtension, TASKS } from '../extensions.ts'
import { detailedTask, type TaskRecord } from './task-record.ts'
import type { TaskOwner, Tasks } from './tasks.ts'

type TaskMethod = (tasks: Tasks, id: string, record: TaskRecord, call: Call) => Promise<MethodResult> | MethodResult

const ACKNOWLEDGED: MethodResult = { result: '{}' }

const METHODS: ReadonlyMap<string, TaskMethod> = new Map<TaskMethodName, TaskMethod>([
  ['tasks/get', (_, id, record) => ({ result: detailedTask(id, record) })],
  [
    'tasks/update',
    async (tasks, id, record, { params }) => {
      await tasks.answer(id, record, params.inputResponses)
      return ACKNOWLEDGED
    },
  ],
  [
    'tasks/cancel',
    async (tasks, id, record) => {
      await tasks.cancel(id, record)
      return ACKNOWLEDGED
    },
  ],
])

export function taskMethod(name: string, tasks: Tasks): Method | undefined {
  const method = METHODS.get(name)
  return (
    method &&
    (async call => {
      if (!call.server.hasTasks) throw methodNotFound(call.method)
      if (!call.conversation.extensions.has(TASKS)) throw missingExtension(TASKS)
      const { id, record } = await tasks.find(call.params.taskId, ownerOf(call))
      return method(tasks, id, record, call)
    })
  )
}

export function ownerOf({ server, conversation }: Pick<Call, 'server' | 'conversation'>): TaskOwner {
  return { server: server.name, principal: conversation.principal }
}
