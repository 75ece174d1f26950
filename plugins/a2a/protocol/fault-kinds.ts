/** The faults of the header `X-Svc-A2A-Fail`, by what they affect. */

/** They replace the response. */
const RESPONSE_KINDS = ['401', 'expired', 'rpc-error', 'redirect'] as const
/** They change how the response is sent. */
const WIRE_KINDS = ['wrong-id', 'bad-json', 'bad-sse'] as const
/** They change the events of a stream. */
const STREAM_KINDS = ['stall', 'cut', 'no-final', 'double-final', 'reorder', 'wrong-context'] as const
/** They stay with the task. */
const TASK_KINDS = [
  'never-settles',
  'vanish',
  'flap',
  'huge',
  'push-fail',
  'push-drop',
  'push-twice',
  'push-slow',
  'push-forged',
  'push-reorder',
] as const

export const KINDS = [...RESPONSE_KINDS, ...WIRE_KINDS, ...STREAM_KINDS, ...TASK_KINDS] as const
export type Kind = (typeof KINDS)[number]
export type WireKind = (typeof WIRE_KINDS)[number]
export type StreamKind = (typeof STREAM_KINDS)[number]
export type TaskKind = (typeof TASK_KINDS)[number]
export type PushKind = Extract<TaskKind, `push-${string}`>

/** The fault that a request asks for. */
export interface ActiveFault {
  kind: Kind
  /** The number of events, reads or deliveries; otherwise 1. */
  amount: number
}

const isOneOf =
  <Member extends Kind>(kinds: readonly Member[]) =>
  (kind: Kind): kind is Member =>
    (kinds as readonly Kind[]).includes(kind)

export const isWireKind = isOneOf(WIRE_KINDS)
export const isStreamKind = isOneOf(STREAM_KINDS)
export const isTaskKind = isOneOf(TASK_KINDS)

export function isPushKind(kind: Kind): kind is PushKind {
  return kind.startsWith('push-')
}

/** Kinds whose `@n` is a number of events, reads or deliveries. That of the others is the request with which they begin. */
const COUNTED: readonly Kind[] = ['stall', 'cut', 'vanish', 'push-fail']

export function beginsWithRequest(kind: Kind): boolean {
  return !COUNTED.includes(kind)
}
