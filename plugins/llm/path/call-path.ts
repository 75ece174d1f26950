/**
 * The path of a call of a mock model, as one list of steps. HTTP requests, messages on sockets, items of batches and
 * generations within a request pass these steps in this order; what does not apply to a way in is left out of its list by
 * name. The order is part of the public behavior: a missing credential wins over a fault, a fault over a bad body, and a
 * refused request takes no slot.
 */
import type { EntryPoint } from '../call/entry-point.ts'
import type { ModelCall } from '../call/model-call.ts'
import type { CallServices } from '../call/services.ts'
import { admitToLimits } from '../steps/admit.ts'
import { applyRules } from '../steps/apply-rules.ts'
import { addAudioTokens, computeReply, useFixedReply } from '../steps/compute-reply.ts'
import { fitContextWindow } from '../steps/context-window.ts'
import { checkCredential } from '../steps/credential.ts'
import { enterSlots } from '../steps/enter-slots.ts'
import { readExactReply } from '../steps/exact-reply.ts'
import { reportIgnoredHeaders } from '../steps/ignored-headers.ts'
import { rollFault } from '../steps/fault.ts'
import { lookInPromptCache, reportPromptCache } from '../steps/prompt-cache.ts'
import {
  chooseTokenizer,
  readLatencyOf,
  readProfile,
  readRequest,
  takeTurn,
  takeTurnForHistory,
  waitLatency,
} from '../steps/read-request.ts'
import { recordReply } from '../steps/record-reply.ts'
import { keepAndRender } from '../steps/render-reply.ts'
import type { Step } from '../steps/step.ts'
import { requireFixture } from '../steps/strict-fixtures.ts'
import { useDirectives } from '../steps/use-directives.ts'
import { validateRequest } from '../steps/validate.ts'
import { waitForReply } from '../steps/wait-for-reply.ts'

const STEPS: readonly Step[] = [
  reportIgnoredHeaders,
  checkCredential,
  takeTurn,
  readLatencyOf,
  waitLatency,
  rollFault,
  chooseTokenizer,
  useDirectives,
  applyRules,
  validateRequest,
  readRequest,
  takeTurnForHistory,
  readProfile,
  fitContextWindow,
  readExactReply,
  lookInPromptCache,
  admitToLimits,
  enterSlots,
  useFixedReply,
  requireFixture,
  computeReply,
  reportPromptCache,
  addAudioTokens,
  waitForReply,
  keepAndRender,
  recordReply,
  deliver,
]

/** A way in, with the steps that apply to it. */
export interface CallPath extends EntryPoint {
  readonly steps: readonly Step[]
}

function pathOf(point: EntryPoint, without: readonly Step[]): CallPath {
  return { ...point, steps: STEPS.filter(step => !without.includes(step)) }
}

export const REQUEST = pathOf({ name: 'request', rules: 'request', streams: 'as asked', isMetered: true }, [takeTurn])

/** A message on a socket: its handshake had the credential, and the latency before the response. */
export const MESSAGE = pathOf({ name: 'message', rules: 'message', streams: 'always', isMetered: true }, [
  reportIgnoredHeaders,
  checkCredential,
  waitLatency,
])

/** An item of a batch: without faults of headers, limits, slots and waiting. */
export const ITEM = pathOf({ name: 'item', rules: 'item', streams: 'never', isMetered: false }, [
  reportIgnoredHeaders,
  checkCredential,
  readLatencyOf,
  waitLatency,
  rollFault,
  readProfile,
  admitToLimits,
  enterSlots,
  waitForReply,
])

/** A generation within a request, which renders it as a part of its own reply. */
export const GENERATION = pathOf({ name: 'generation', rules: 'item', streams: 'never', isMetered: false }, [
  reportIgnoredHeaders,
  checkCredential,
  readLatencyOf,
  waitLatency,
  rollFault,
  validateRequest,
  readProfile,
  enterSlots,
  waitForReply,
  keepAndRender,
])

/**
 * Passes the steps until the reply was delivered, or somebody else has answered. Throws or rejects with what a step throws. Most
 * calls do not wait in between: only the others cost a promise.
 */
export function passSteps(
  path: CallPath,
  call: ModelCall,
  services: CallServices,
  first = 0,
): Promise<void> | undefined {
  const { steps } = path
  for (let index = first; index < steps.length; index++) {
    const going = steps[index]!(call, services)
    if (going === false) return undefined
    if (going !== true) return going.then(isGoing => (isGoing ? passSteps(path, call, services, index + 1) : undefined))
  }
  return undefined
}

function deliver({ recipient }: ModelCall): boolean | Promise<boolean> {
  const delivering = recipient!.deliver()
  return delivering === undefined || delivering.then(() => true)
}
