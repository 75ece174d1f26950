/** Owns the push notification configs of a task: creating, reading and deleting them. */
import { randomUUID } from 'node:crypto'
import { copyText } from 'svc/plugin'
import type { OperationResult, Call } from '../call.ts'
import { taskNotFound } from '../errors.ts'
import { PushDelivery } from '../push/delivery.ts'
import type { PushConfig, PushConfigInput } from '../push/push-config.ts'
import { decideTarget, ownAddress } from '../push/target.ts'
import type { Task } from '../task.ts'
import type { JsonObject } from '../types.ts'
import { readPushConfig } from '../wire/read.ts'
import type { Wire } from '../wire/wire.ts'
import { policyOf } from './send.ts'

/** The stored form of a config; it gets a new id if the client sent none. */
export function toConfig(input: PushConfigInput, wire: Wire): PushConfig {
  return { ...input, id: input.id ?? randomUUID(), protocolVersion: wire.protocolVersion }
}

/** Creates a config, or replaces the one with the same id; `value` is the config as received. */
export function setConfig(call: Call, taskId: string, value: JsonObject, id?: string): OperationResult {
  const { a2a, wire } = call
  const read = readPushConfig(value, '')
  const input = read.id === undefined && id !== undefined ? { ...read, id: copyText(id) } : read
  const task = ownTask(call, taskId)
  const target = decideTarget(input.url, ownAddress(a2a.svc.http, call.request), policyOf(call))
  PushDelivery.checkCount(task, input.id)
  const config = toConfig(input, wire)
  a2a.push.attach(task, config, target, a2a.sinks)
  return { result: wire.pushConfig(task.id, config) }
}

/** Without an id: the first config. */
export function getConfig(call: Call, taskId: string, id: string | undefined): OperationResult {
  const task = ownTask(call, taskId)
  const config = id === undefined ? configsOf(task)[0] : task.configs.get(id)?.config
  if (!config) throw taskNotFound(taskId, id ?? 'any')
  return { result: call.wire.pushConfig(taskId, config) }
}

export function listConfigs(call: Call, taskId: string): JsonObject[] {
  return configsOf(ownTask(call, taskId)).map(config => call.wire.pushConfig(taskId, config))
}

/** Succeeds even if there is no such config. */
export function deleteConfig(call: Call, taskId: string, id: string): void {
  ownTask(call, taskId).detach(id)
}

function ownTask({ a2a, agent, session }: Call, taskId: string): Task {
  return a2a.tasks.find(taskId, agent.id, session)
}

function configsOf(task: Task): PushConfig[] {
  return [...task.configs.values()].map(({ config }) => config)
}
