/** The faults of the header `X-Svc-Mcp-Fail`. */

/** They replace the response, or happen before the method runs. */
export const STATUS_KINDS = ['401', 'expired', '403', '429', '503', 'session-lost', 'rpc-error'] as const
/** They change how the response is sent. */
export const WIRE_KINDS = [
  'wrong-id',
  'null-id',
  'string-id',
  'duplicate',
  'no-answer',
  'bad-json',
  'bad-sse',
  'truncate',
  'wrong-type',
  'slow',
  'stall',
  'progress-storm',
  'list-changed',
] as const
/** They change the result of one method, or of all. */
export const RESULT_KINDS = ['schema-v2', 'tools-gone', 'cursor-loop', 'wrong-structured', 'wrong-version'] as const

export const KINDS = [...STATUS_KINDS, ...WIRE_KINDS, ...RESULT_KINDS] as const
export type Kind = (typeof KINDS)[number]
export type StatusKind = (typeof STATUS_KINDS)[number]
export type WireKind = (typeof WIRE_KINDS)[number]
export type ResultKind = (typeof RESULT_KINDS)[number]

/** Methods that a kind is about; others are left alone. */
const METHODS: Partial<Record<Kind, string>> = {
  'schema-v2': 'tools/list',
  'tools-gone': 'tools/list',
  'cursor-loop': 'tools/list',
  'wrong-structured': 'tools/call',
}

export function concerns(kind: Kind, method: string): boolean {
  return METHODS[kind] === undefined || METHODS[kind] === method
}

export function isStatusKind(kind: Kind): kind is StatusKind {
  return (STATUS_KINDS as readonly string[]).includes(kind)
}

export function isWireKind(kind: Kind): kind is WireKind {
  return (WIRE_KINDS as readonly string[]).includes(kind)
}
