/** How a connection breaks. */

export const ABORT_KINDS = ['reset', 'close', 'hang', 'half'] as const
export type AbortKind = (typeof ABORT_KINDS)[number]

export interface Abort {
  kind: AbortKind
  /** Received bytes after which it acts. */
  after: number
}

/** Reads `reset` or `reset:100`; the text matches the schema. */
export function readAbort(text: string): Abort {
  const [kind = '', after = '0'] = text.split(':')
  return { kind: kind as AbortKind, after: Number(after) }
}
