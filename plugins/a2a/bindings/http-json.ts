/** Owns the HTTP+JSON binding: maps methods and paths below `/a2a/{agent}/v1` to operations (A2A 1.0, 11). */
import { isRecord } from 'svc/toolkit'
import type { OperationResult, Call, Operation } from '../calls/call.ts'
import { A2aError, invalidParams } from '../protocol/errors.ts'
import { extendedCard, publicCard } from '../operations/extended-card.ts'
import { listTasks } from '../operations/list-tasks.ts'
import { deleteConfig, getConfig, listConfigs, setConfig } from '../operations/push-configs.ts'
import { send, stream } from '../operations/send.ts'
import { cancel, getTask, subscribe } from '../operations/tasks.ts'
import type { JsonObject } from '../types.ts'
import { field, readId, readObject, readText } from '../wire/read.ts'

/** A path with its operations by HTTP method and its path parameters. */
export interface Resource {
  readonly template: Template
  readonly operations: Readonly<Record<string, Operation>>
  /** Path parameters, percent-decoded. */
  readonly params: JsonObject
}

/** The paths of the binding, below `/a2a/{agent}/v1/`. */
export const TEMPLATES = [
  'message:send',
  'message:stream',
  'tasks',
  'tasks/{id}',
  'tasks/{id}:cancel',
  'tasks/{id}:subscribe',
  'tasks/{id}/pushNotificationConfigs',
  'tasks/{id}/pushNotificationConfigs/{configId}',
  'extendedAgentCard',
  'card',
] as const
export type Template = (typeof TEMPLATES)[number]

const OPERATIONS: Readonly<Record<Template, Readonly<Record<string, Operation>>>> = {
  'message:send': { POST: send },
  'message:stream': { POST: stream },
  tasks: { GET: listTasksV1 },
  'tasks/{id}': { GET: getTask },
  'tasks/{id}:cancel': { POST: cancel },
  'tasks/{id}:subscribe': { GET: subscribe, POST: subscribe },
  'tasks/{id}/pushNotificationConfigs': { GET: listPush, POST: createPush },
  'tasks/{id}/pushNotificationConfigs/{configId}': {
    GET: (call, params) => getConfig(call, text(params, 'id'), text(params, 'configId')),
    DELETE: async (call, params) => {
      await deleteConfig(call, text(params, 'id'), text(params, 'configId'))
      return { result: {} }
    },
  },
  extendedAgentCard: { GET: extendedCard },
  card: { GET: publicCard },
}

/** Finds the resource of a path after `/v1/` (still percent-encoded); null if there is no such path. */
export function findResource(tail: string): Resource | null {
  const named = (template: Template, params: JsonObject = {}): Resource => ({
    template,
    operations: OPERATIONS[template],
    params,
  })
  if (
    tail === 'message:send' ||
    tail === 'message:stream' ||
    tail === 'tasks' ||
    tail === 'extendedAgentCard' ||
    tail === 'card'
  )
    return named(tail)
  const [collection, task = '', configs, config, ...more] = tail.split('/')
  if (collection !== 'tasks' || task === '' || more.length > 0) return null
  if (configs === undefined) {
    const action = /^(.+?)(:cancel|:subscribe)$/.exec(task)
    if (action) return named(`tasks/{id}${action[2] as ':cancel' | ':subscribe'}`, { id: decode(action[1] as string) })
    return named('tasks/{id}', { id: decode(task) })
  }
  if (configs !== 'pushNotificationConfigs') return null
  if (!config) return named('tasks/{id}/pushNotificationConfigs', { id: decode(task) })
  return named('tasks/{id}/pushNotificationConfigs/{configId}', { id: decode(task), configId: decode(config) })
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function text(params: JsonObject, name: string): string {
  return readText(params, name) ?? ''
}

function listTasksV1(call: Call, params: JsonObject): Promise<OperationResult> {
  if (call.wire.protocolVersion === '0.3')
    throw new A2aError('UNSUPPORTED_OPERATION', 'listing tasks requires protocol version 1.0')
  return listTasks(call, params)
}

async function listPush(call: Call, params: JsonObject): Promise<OperationResult> {
  const configs = await listConfigs(call, text(params, 'id'))
  return { result: call.wire.protocolVersion === '1.0' ? { configs, nextPageToken: '' } : { configs } }
}

/** 1.0: the body is the config. 0.3: the body wraps it; its id is inside, next to it, or at the end of its name. */
async function createPush(call: Call, params: JsonObject): Promise<OperationResult> {
  const taskId = text(params, 'id')
  const body = params.body
  if (!isRecord(body)) throw invalidParams('body', 'expected an object')
  if (call.wire.protocolVersion === '1.0') return setConfig(call, taskId, body)
  // Some clients of 0.3 send the config with its name in `config`.
  const outer = readObject(body, 'config') ?? body
  const inner = readObject(outer, 'pushNotificationConfig') ?? (field(outer, 'url') === undefined ? undefined : outer)
  if (!inner) throw invalidParams('pushNotificationConfig', 'this field is required')
  const name = readText(outer, 'name')
  const id =
    readId(body, 'configId') ?? (name ? readId({ id: name.slice(name.lastIndexOf('/') + 1) }, 'id', 'name') : undefined)
  return setConfig(call, taskId, inner, id)
}
