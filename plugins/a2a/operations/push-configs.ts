/** Owns the push notification configs of a task: creating, reading and deleting them. */
import { randomUUID } from 'node:crypto'
import { copyText } from 'svc/toolkit'
import type { OperationResult, Call } from '../calls/call.ts'
import { requirePush } from '../protocol/capabilities.ts'
import { taskNotFound } from '../protocol/errors.ts'
import type { PushConfigInput } from '../protocol/push-config.ts'
import { ownTask } from './own-task.ts'
import { decideTarget, ownAddress } from '../push/target.ts'
import type { StoredConfig, Task } from '../tasks/task.ts'
import type { JsonObject } from '../types.ts'
import { readPushConfig } from '../wire/read.ts'

/** The stored form of a config; it gets a new id if the client sent none. Throws if the operator does not allow its target. */
export function toConfig({ a2a, request, wire }: Call, input: PushConfigInput): StoredConfig {
  const { pushAllowlist: allowlist, pushAllowAll: allowAll } = a2a.svc.variables
  const target = decideTarget(input.url, ownAddress(a2a.svc.http, request), { allowlist, allowAll })
  return { ...input, id: input.id ?? randomUUID(), protocolVersion: wire.protocolVersion, target }
}

/** Creates a config, or replaces the one with the same id; `value` is the config as received. */
export async function setConfig(call: Call, taskId: string, value: JsonObject, id?: string): Promise<OperationResult> {
  const { a2a, wire } = call
  const read = readPushConfig(value, '')
  const input = read.id === undefined && id !== undefined ? { ...read, id: copyText(id) } : read
  const task = await pushTask(call, taskId)
  const config = toConfig(call, input)
  await a2a.service.attach(task, config)
  return { result: wire.pushConfig(task.id, config) }
}

/** Without an id: the first config. */
export async function getConfig(call: Call, taskId: string, id: string | undefined): Promise<OperationResult> {
  const { configs } = await pushTask(call, taskId)
  const config = id === undefined ? configs[0] : configs.find(known => known.id === id)
  if (!config) throw taskNotFound(taskId, id ?? 'any')
  return { result: call.wire.pushConfig(taskId, config) }
}

export async function listConfigs(call: Call, taskId: string): Promise<JsonObject[]> {
  return (await pushTask(call, taskId)).configs.map(config => call.wire.pushConfig(taskId, config))
}

/** Succeeds even if there is no such config. */
export async function deleteConfig(call: Call, taskId: string, id: string): Promise<void> {
  await call.a2a.service.detach(await pushTask(call, taskId), id)
}

function pushTask(call: Call, taskId: string): Promise<Task> {
  requirePush(call.agent)
  return ownTask(call, taskId)
}
