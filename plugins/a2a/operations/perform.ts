/** Owns what is checked before every operation. */
import type { Call, Operation, OperationResult } from '../call.ts'
import { requireStreaming } from '../capabilities.ts'
import { requireExtensions } from '../extensions.ts'
import type { JsonObject } from '../types.ts'
import { extendedCard, publicCard } from './extended-card.ts'
import { stream } from './send.ts'
import { subscribe } from './tasks.ts'

/** Performs an operation. Throws if the agent does not support it, or if the request lacks a required extension. */
export async function perform(operation: Operation, call: Call, params: JsonObject): Promise<OperationResult> {
  const isCard = operation === extendedCard || operation === publicCard
  if (!isCard) requireExtensions(call.agent, call.extensions)
  if (operation === stream || operation === subscribe) requireStreaming(call.agent)
  return operation(call, params)
}
