/** Owns `ListTasks`: filters, order and pages. */
import type { OperationResult, Call } from '../calls/call.ts'
import { invalidParams } from '../protocol/errors.ts'
import { STATES } from '../protocol/states.ts'
import type { Task } from '../tasks/task.ts'
import type { JsonObject, TaskState } from '../types.ts'
import { readBoolean, readCount, readText } from '../wire/read.ts'
import { readHistoryLength } from './tasks.ts'

const DEFAULT_PAGE_SIZE = 50
const MAX_PAGE_SIZE = 100
const ISO_TIME = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})?)?$/

/** The caller's tasks with this agent, most recent status change first. */
export async function listTasks(call: Call, params: JsonObject): Promise<OperationResult> {
  const { a2a, agent, scope, wire } = call
  const matches = readFilter(params)
  const view = {
    historyLength: readHistoryLength(params, wire),
    includeArtifacts: readBoolean(params, 'includeArtifacts') ?? false,
  }
  const pageSize = readCount(params, 'pageSize') ?? DEFAULT_PAGE_SIZE
  if (pageSize < 1 || pageSize > MAX_PAGE_SIZE)
    throw invalidParams('pageSize', `expected a number from 1 to ${MAX_PAGE_SIZE}`)
  const before = readPageToken(readText(params, 'pageToken'))
  const all = (await a2a.tasks.list(agent.id, scope)).filter(matches)
  const rest = all.filter(task => task.rank < before)
  const page = rest.slice(0, pageSize)
  const last = page.at(-1)
  return {
    result: {
      tasks: page.map(task => wire.task(task, view)),
      nextPageToken: last && rest.length > page.length ? writePageToken(last.rank) : '',
      pageSize,
      totalSize: all.length,
    },
  }
}

function readFilter(params: JsonObject): (task: Task) => boolean {
  const contextId = readText(params, 'contextId')
  const state = readState(readText(params, 'status'))
  const since = readTime(readText(params, 'statusTimestampAfter'))
  return task =>
    (!contextId || task.contextId === contextId) &&
    (state === null || task.status.state === state) &&
    Date.parse(task.status.timestamp) >= since
}

function readState(name: string | undefined): TaskState | null {
  if (!name || name === 'TASK_STATE_UNSPECIFIED') return null
  const state = STATES.find(known => `TASK_STATE_${known}` === name)
  if (!state) throw invalidParams('status', `expected one of ${STATES.map(known => `TASK_STATE_${known}`).join(', ')}`)
  return state
}

/** Milliseconds since 1970. */
function readTime(text: string | undefined): number {
  if (!text) return 0
  const time = ISO_TIME.test(text) ? Date.parse(text) : NaN
  if (Number.isNaN(time)) throw invalidParams('statusTimestampAfter', 'expected an ISO 8601 time')
  return time
}

/** The token holds the rank of the last task on the page; tasks that change later rank higher. */
function writePageToken(rank: number): string {
  return Buffer.from(`after ${rank}`).toString('base64url')
}

function readPageToken(token: string | undefined): number {
  if (!token) return Infinity
  const rank = /^[\w-]{1,64}$/.test(token)
    ? /^after (\d{1,16})$/.exec(Buffer.from(token, 'base64url').toString())?.[1]
    : undefined
  if (rank === undefined) throw invalidParams('pageToken', 'expected a nextPageToken from an earlier response')
  return Number(rank)
}
