/** Scripts: what the upstream half does with a request of a step. They are plain JSON. */
import type { JsonObject } from 'svc/plugin'
import { isRecord } from 'svc/toolkit'
import type { MessageAction } from './rpc-message.ts'

/**
 * What becomes of requests to other routes than those of models, such as those of guardrail services: 503, or no answer at all
 * until the client leaves. Default: they are served too, without the step.
 */
export const OTHERS = ['unavailable', 'silent'] as const
export type Others = (typeof OTHERS)[number]

/** Bytes are text in ISO 8859-1. `{{n}}` in them is replaced by the number of the arrival, with five digits: the length stays. */
export type Action =
  | { do: 'bytes'; bytes: string }
  /** The same for content, which is not written if the request that arrived is a HEAD. */
  | { do: 'content'; bytes: string }
  /** A message of JSON-RPC that takes its id from the request that arrived; see `messageBytes`. */
  | MessageAction
  /** `size` bytes of a repeated text, in writes of `piece` bytes, which are made as the socket takes them. */
  | { do: 'fill'; size: number; piece: number; chunked?: boolean }
  | { do: 'wait'; ms: number }
  /** Waits until the request is complete, or has no valid framing: then it is answered with 400. */
  | { do: 'receive' }
  /** Writes the body of the request back as it arrives, each read as one chunk. */
  | { do: 'echo' }
  /** A 200 with these lines of fields, whose body is the value of a field of the request. */
  | { do: 'reflect'; field: string; fields: string }
  | { do: 'keep' }
  | { do: 'end' }
  | { do: 'reset' }
  /** HTTP/2 only: RST_STREAM with REFUSED_STREAM; GOAWAY that counts the request as processed or not. */
  | { do: 'refuse' }
  | { do: 'goaway'; refused: boolean }
  /** Accepts a WebSocket: from then on messages are echoed, and pings answered. */
  | { do: 'accept'; protocol: string | null }
  | { do: 'frame'; opcode: number; payload: string }
  /** Waits for a closing handshake. */
  | { do: 'converse'; ms: number }
  /** A reply of a unary call of gRPC, or gRPC-Web if that is what arrived. */
  | { do: 'unary'; text: string }
  /**
   * Waits for the whole request, and lets the route that its path names answer it; the step of a rule acts as if a rule in front
   * of all others had matched. A list has the steps of the first, second, … arrival, and the last one for all that follow.
   */
  | { do: 'serve'; step: JsonObject | null | (JsonObject | null)[]; others?: Others }
  /** Waits for the whole request, and lets the subgraph that its path names answer it, unless that one has a fault. */
  | { do: 'subgraph'; faults: Readonly<Record<string, SubgraphFault>> }
  /** Accepts the upgrade to h2c if the request has it, and writes back what comes. */
  | { do: 'h2c'; ms: number }

/**
 * Of a subgraph, by its name: the step of a rule, which acts as in `serve`; 503; no answer until the client leaves; a connection
 * that breaks.
 */
export type SubgraphFault = JsonObject | (typeof SUBGRAPH_FAULTS)[number]
const SUBGRAPH_FAULTS = ['unavailable', 'silent', 'reset'] as const

export interface StepScript {
  step: number
  script: Action[]
  /** For the second and later arrivals; default: the same. */
  next?: Action[]
  /** The script uses what HTTP/1.0 does not have; a request in HTTP/1.0 gets an ordinary answer instead. */
  http11?: boolean
  /** The script uses what only HTTP/2 has; other requests get an ordinary answer instead. */
  http2?: boolean
  /** Requests to other routes than those of models are served by their routes. */
  models?: boolean
  /** The request is also recognized by its JSON content, for gateways with paths and fields of their own. */
  content?: boolean
  /**
   * Requests to the subgraphs of svc belong to this step until another one says so too, since a gateway that joins graphs makes
   * new requests. What is in front of `/graphql/subgraphs` in their paths, such as `/s/t-1`.
   */
  subgraphs?: string
}

export const MAX_STEPS = 8_000
/** Of all scripts of a session, as JSON. */
export const MAX_SCRIPTS_BYTES = 64 * 1024 * 1024
const MAX_ACTIONS = 400
const MAX_SERVED = 20
const MAX_SCRIPT_BYTES = 1024 * 1024
const MAX_FILL = 64 * 1024 * 1024
export const MAX_WAIT_MS = 180_000

/** The scripts in a request body, or what is wrong with them. */
export function readScripts(
  value: unknown,
  stepProblem: (step: unknown) => string | null = () => null,
): StepScript[] | string {
  if (!Array.isArray(value) || value.length > MAX_STEPS) return `expected a list of at most ${MAX_STEPS} steps`
  const read: StepScript[] = []
  for (const [index, one] of value.entries()) {
    if (!isRecord(one) || !isStepNumber(one.step)) return `item ${index}: "step" must be a number from 1 to 999999`
    for (const key of Object.keys(one))
      if (!['step', 'script', 'next', 'http11', 'http2', 'content', 'models', 'subgraphs'].includes(key))
        return `item ${index}: unknown key "${key.slice(0, 100)}"`
    for (const actions of [one.script, one.next ?? []]) {
      const problem = actionsProblem(actions, stepProblem)
      if (problem !== null) return `item ${index}: ${problem}`
    }
    for (const key of ['http11', 'http2', 'content', 'models'])
      if (one[key] !== undefined && typeof one[key] !== 'boolean') return `item ${index}: "${key}" must be a boolean`
    if (
      one.subgraphs !== undefined &&
      !(typeof one.subgraphs === 'string' && /^(?:\/[\w.~-]{1,100}){0,10}$/.test(one.subgraphs))
    )
      return `item ${index}: "subgraphs" must be a path, or empty`
    read.push(one as unknown as StepScript)
  }
  return read
}

function isStepNumber(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 999_999
}

function actionsProblem(value: unknown, stepProblem: (step: unknown) => string | null): string | null {
  if (!Array.isArray(value) || value.length > MAX_ACTIONS)
    return `"script" must be a list of at most ${MAX_ACTIONS} actions`
  let bytes = 0
  for (const action of value) {
    if (!isRecord(action)) return 'each action must be an object'
    if (action.do === 'bytes' || action.do === 'content') {
      if (typeof action.bytes !== 'string') return '"bytes" must be text'
      bytes += action.bytes.length
    } else if (action.do === 'message') {
      if (typeof action.text !== 'string' || (action.head !== undefined && typeof action.head !== 'string'))
        return '"message" needs a text, and may have a head'
      bytes += action.text.length + (action.head?.length ?? 0)
    } else if (action.do === 'fill') {
      if (!isBetween(action.size, 1, MAX_FILL) || !isBetween(action.piece, 1, 1024 * 1024))
        return '"fill" needs a size up to 67108864 and a piece up to 1048576'
    } else if (action.do === 'accept') {
      if (action.protocol !== null && (typeof action.protocol !== 'string' || !/^[\w.-]{1,100}$/.test(action.protocol)))
        return '"accept" needs the name of a protocol, or null'
    } else if (action.do === 'frame') {
      if (!isBetween(action.opcode, 0, 15) || typeof action.payload !== 'string')
        return '"frame" needs an opcode from 0 to 15, and a payload'
      bytes += action.payload.length
    } else if (action.do === 'wait' || action.do === 'converse' || action.do === 'h2c') {
      if (!isBetween(action.ms, 0, MAX_WAIT_MS)) return `"${action.do}" needs ms from 0 to ${MAX_WAIT_MS}`
    } else if (action.do === 'reflect') {
      if (typeof action.field !== 'string' || typeof action.fields !== 'string')
        return '"reflect" needs the name of a field, and the lines of fields'
      bytes += action.fields.length
    } else if (action.do === 'unary') {
      if (typeof action.text !== 'string' || action.text.length > 100)
        return '"unary" needs a text of at most 100 characters'
    } else if (action.do === 'serve') {
      const steps: unknown[] = Array.isArray(action.step) ? action.step : [action.step]
      if (action.others !== undefined && !OTHERS.some(word => word === action.others))
        return `"serve": others must be one of ${OTHERS.join(', ')}`
      if (steps.length === 0 || steps.length > MAX_SERVED) return `"serve" needs 1 to ${MAX_SERVED} steps`
      for (const step of steps) {
        if (step === null) continue
        const problem = isRecord(step) ? stepProblem(step) : 'step: expected the step of a rule, or null'
        if (problem !== null) return `"serve": ${problem}`
        bytes += JSON.stringify(step).length
      }
    } else if (action.do === 'subgraph') {
      if (!isRecord(action.faults)) return '"subgraph" needs faults, an object'
      for (const [name, fault] of Object.entries(action.faults)) {
        if (SUBGRAPH_FAULTS.some(word => word === fault)) continue
        const problem = isRecord(fault) ? stepProblem(fault) : `expected a step, or ${SUBGRAPH_FAULTS.join(', ')}`
        if (problem !== null) return `"subgraph": ${name.slice(0, 50)}: ${problem}`
        bytes += JSON.stringify(fault).length
      }
    } else if (action.do === 'goaway') {
      if (typeof action.refused !== 'boolean') return '"goaway" needs refused, a boolean'
    } else if (!['receive', 'echo', 'keep', 'end', 'reset', 'refuse'].includes(String(action.do)))
      return `unknown action "${String(action.do).slice(0, 100)}"`
  }
  return bytes > MAX_SCRIPT_BYTES ? `a script has at most ${MAX_SCRIPT_BYTES} bytes` : null
}

function isBetween(value: unknown, min: number, max: number): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= min && value <= max
}

/** The ordinary answer of a step. */
export function defaultScript(step: number): Action[] {
  const body = `probe ${step}`
  const fields = `Date: ${new Date().toUTCString()}\r\nContent-Type: text/plain\r\nCache-Control: no-store\r\nContent-Length: ${body.length}\r\n`
  return [{ do: 'receive' }, { do: 'bytes', bytes: `HTTP/1.1 200 OK\r\n${fields}\r\n${body}` }, { do: 'keep' }]
}
