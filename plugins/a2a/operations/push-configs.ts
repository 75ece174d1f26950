/** Owns the push notification configs of a task: creating, reading and deleting them. */
import { randomUUID } from 'node:crypto'
import { copyText } from 'svc/toolkit'
import type { OperationResult, Call } from '../call.ts'
import { requirePush } from '../capabilities.ts'
import { taskNotFound } from '../errors.ts'
import type { PushConfigInput } from '../push/push-config.ts'
import { ownTask } from '../own-task.ts'
import { decideTarget, ownAddress, type PushTarget } from '../push/target.ts'
import type { StoredConfig, Task } from '../task.ts'
import type { JsonObject } from '../types.ts'
import { readPushConfig } from '../wire/read.ts'
import type { Wire } from '../wire/wire.ts'
import { policyOf } from './send.ts'

/** The stored form of a config; it gets a new id if the client sent none. */
export function toConfig(input: PushConfigInput, target: PushTarget, wire: Wire): StoredConfig {
  return { ...input, id: input.id ?? randomUUID(), protocolVersion: wire.protocolVersion, target }
}

/** Creates a config, or replaces the one with the same id; `value` is the config as received. */
export async function setConfig(call: Call, taskId: string, value: JsonObject, id?: string): Promise<OperationResult> {
  const { a2a, wire } = call
  const read = readPushConfig(value, '')
  const input = read.id === undefined && id !== undefined ? { ...read, id: copyText(id) } : read
  const task = await pushTask(call, taskId)
  const target = decideTarget(input.url, ownAddress(a2a.svc.http, call.request), policyOf(call))
  const config = toConfig(input, target, wire)
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
