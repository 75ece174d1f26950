/** What decides about a stream, and what it changes: a processor, a rule, or the header of the checked request. */
import type { JsonObject } from 'svc/plugin'
import { firstRawHeader, type HeaderLine } from 'svc/toolkit'
import type { CheckedRequest } from '../gateway-services/types.ts'
import type { BodyMode, ModeOverride, Phase, Side } from './phase.ts'

export interface HeadChanges {
  set?: readonly HeaderLine[]
  append?: readonly HeaderLine[]
  /** Lower case. */
  remove?: readonly string[]
}

/** Of one message; without any of them the gateway goes on with what it has. */
export interface Changes {
  kind: 'changes'
  head?: HeadChanges
  /** Replaces the body, and the gateway sends no more of it; in answers to headers. */
  replacement?: Buffer
  /** Of the message with the replacement. */
  trailers?: readonly HeaderLine[]
  clearsRouteCache?: boolean
  metadata?: JsonObject
  mode?: ModeOverride
  reason?: string
  /** What can't be done, for the record. */
  leftOut?: readonly string[]
}

/** The response that the client gets, in place of any other. */
export interface Immediate {
  kind: 'immediate'
  status: number
  head: HeadChanges
  body: Buffer
  grpcStatus: number | null
  details: string
  reason: string
}

export type Outcome = Changes | Immediate

/** Changes pieces of a body. */
export interface PieceChange {
  /** Bytes that wait for what follows. */
  readonly held: number
  push(piece: Buffer, isLast: boolean): Buffer
}

export type BodyChange =
  | { kind: 'pieces'; pieces: PieceChange }
  /** Needs all of it. `ofHead`: it changes headers, which then wait for it where they can. */
  | { kind: 'whole'; ofHead: boolean; change(body: Buffer): WholeOutcome | Promise<WholeOutcome> }
  /** Changes the headers once more if they wait for the body, which it leaves as it is. */
  | { kind: 'late head'; head(): HeadChanges }

export type WholeOutcome = Immediate | (Changes & { body?: Buffer })

/** A request or a response, as far as the gateway has sent it. */
export interface Message {
  side: Side
  /** Names and values, alternating; pseudo-headers begin with a colon. */
  rawHeaders: readonly string[]
  /** Those of this side so far. */
  phases: readonly Phase[]
  /** Whether a body or trailers follow the headers. */
  hasMore: boolean
  /** Of the body; null if the gateway does not say. */
  mode: BodyMode | null
  checked: CheckedRequest
  /** `metadata_context` of the last message. */
  metadata(namespace: string, key: string): string[] | undefined
  /** Metadata of the call. */
  callMetadata(name: string): string | undefined
}

export interface Plan {
  by: 'rule' | 'header' | 'policy'
  headers?(message: Message): Outcome | null | Promise<Outcome | null>
  /** How the body of a side is changed; null: not at all. Called once for each side. */
  body?(message: Message): BodyChange | null
  trailers?(message: Message): Outcome | null
}

/** Names and values as one object; for several of a name, the first. */
export function headerOf({ rawHeaders }: Pick<Message, 'rawHeaders'>, name: string): string | undefined {
  return firstRawHeader(rawHeaders, name)
}

/** Whether the body has a content coding, so that nothing in it can be found or changed. */
export function isEncoded(message: Pick<Message, 'rawHeaders'>): boolean {
  const coding = headerOf(message, 'content-encoding')?.trim().toLowerCase()
  return coding !== undefined && coding !== '' && coding !== 'identity'
}
