/** Owns the messages that are kept for interrupted connections, limited per session and in total. */
import { type EventLog, type Store, type Svc } from 'svc/plugin'
import { heldBytes } from 'svc/toolkit'
import { type Bounds, MAX_REPLAY_BYTES } from '../bounds.ts'
import type { RequestId } from '../protocol/json-rpc.ts'
import type { SessionRecord } from './session-record.ts'

export interface KeptMessage {
  /** Number of the stream in its session. */
  readonly stream: number
  /** Position in its stream, from 1. */
  readonly position: number
  /** Null: only marks the end of the stream. */
  readonly text: string | null
  /** Whether the stream ends here. */
  readonly isLast: boolean
  /** The request that the stream answers, if it answers one. */
  readonly call?: RequestId
}

/** Memory of a message without its text, in addition to that of the log. */
const MESSAGE_BYTES = 160

/** Opens the log of the messages. Its streams are the sessions. */
export function openMessageLog(
  svc: Pick<Svc, 'eventLog'>,
  bounds: Pick<Bounds, 'replayMessages' | 'replayBytes'>,
  sessions: Store<SessionRecord>,
  maxBytes = MAX_REPLAY_BYTES,
): EventLog<KeptMessage> {
  return svc.eventLog<KeptMessage>('messages', {
    of: sessions,
    maxPerStream: bounds.replayMessages,
    maxBytesPerStream: bounds.replayBytes,
    maxBytes,
    sizeOf: ({ text, call = '' }) => MESSAGE_BYTES + heldBytes(text ?? '') + heldBytes(String(call)),
  })
}

/** Parses an event id: `<stream>-<position>`. Position 0 is before the first message. */
export function readEventId(text: string): { stream: number; position: number } | null {
  const match = /^(\d{1,9})-(\d{1,9})$/.exec(text)
  return match ? { stream: Number(match[1]), position: Number(match[2]) } : null
}

export function eventId(stream: number, position: number): string {
  return `${stream}-${position}`
}

/**
 * Whether all messages of a stream after `position` are kept. `written` is the position that the replica that writes the
 * stream has reached; null if no replica writes it.
 */
export function isResumable(kept: readonly KeptMessage[], position: number, written: number | null): boolean {
  if (kept.length === 0 && written === null) return false
  const newest = Math.max(kept.at(-1)?.position ?? 0, written ?? 0)
  const missed = kept.filter(message => message.text !== null && message.position > position)
  return position <= newest && missed.length === newest - position
}
