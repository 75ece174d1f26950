/** Writes what was decided about a message as a `ProcessingResponse`. */
import { structOf, type HeaderLine } from 'svc/toolkit'
import type { Changes, HeadChanges, Immediate } from '../plan.ts'
import type { BodyMode, ModeOverride, Phase, Side } from '../phase.ts'
import { type HttpBody, partOf, type ProcessingResponse } from './messages.ts'

/** Of a piece of a body in full-duplex mode. */
const MAX_PIECE = 65_536

export interface Modes {
  request: BodyMode | null
  response: BodyMode | null
}

/** An answer to headers, trailers, or one message of a body; `body` replaces it. */
export function answerOf(phase: Phase, changes: Changes, modes: Modes, body?: Buffer): ProcessingResponse {
  const { head, metadata, mode } = changes
  const mutation = head === undefined || isEmpty(head) ? {} : { header_mutation: headerMutation(head) }
  const common = partOf(phase) === 'trailers' ? mutation : { response: commonOf(changes, mutation, body) }
  return {
    [phase]: common,
    ...(metadata === undefined ? {} : { dynamic_metadata: structOf(metadata) }),
    ...(mode === undefined || Object.keys(mode).length === 0 ? {} : { mode_override: overrideOf(mode, modes) }),
  }
}

/** Pieces of a body in full-duplex mode; the last one is empty if the body is. */
export function piecesOf(side: Side, body: Buffer, isLast: boolean): ProcessingResponse[] {
  const answers: ProcessingResponse[] = []
  for (let at = 0; at < body.length || (at === 0 && isLast); at += MAX_PIECE) {
    const piece = body.subarray(at, at + MAX_PIECE)
    answers.push(streamed(side, { body: piece, end_of_stream: isLast && at + MAX_PIECE >= body.length }))
  }
  return answers
}

/** A message of a body as it came. */
export function unchangedPiece(side: Side, message: HttpBody): ProcessingResponse {
  return streamed(side, { ...message })
}

function streamed(side: Side, piece: Partial<HttpBody>): ProcessingResponse {
  return { [`${side}_body`]: { response: { body_mutation: { streamed_response: piece } } } }
}

export function immediateAnswer({ status, head, body, grpcStatus, details }: Immediate): ProcessingResponse {
  return {
    immediate_response: {
      status: { code: status },
      headers: headerMutation(head),
      body,
      ...(grpcStatus === null ? {} : { grpc_status: { status: grpcStatus } }),
      details,
    },
  }
}

/** Asks for more time before the answer. */
export function moreTime(ms: number): ProcessingResponse {
  return { override_message_timeout: { seconds: Math.floor(ms / 1000), nanos: (ms % 1000) * 1_000_000 } }
}

function commonOf(
  { replacement, trailers, clearsRouteCache }: Changes,
  mutation: object,
  body: Buffer | undefined,
): object {
  const changed = replacement ?? body
  return {
    ...(replacement === undefined ? {} : { status: 'CONTINUE_AND_REPLACE' }),
    ...mutation,
    ...(changed === undefined
      ? {}
      : { body_mutation: changed.length === 0 ? { clear_body: true } : { body: changed } }),
    ...(trailers === undefined ? {} : { trailers: { headers: trailers.map(valueOf) } }),
    ...(clearsRouteCache === true ? { clear_route_cache: true } : {}),
  }
}

function isEmpty({ set = [], append = [], remove = [] }: HeadChanges): boolean {
  return set.length + append.length + remove.length === 0
}

function headerMutation({ set = [], append = [], remove = [] }: HeadChanges): object {
  const option = (append_action: string) => (line: HeaderLine) => ({ header: valueOf(line), append_action })
  return {
    set_headers: [...set.map(option('OVERWRITE_IF_EXISTS_OR_ADD')), ...append.map(option('APPEND_IF_EXISTS_OR_ADD'))],
    remove_headers: [...remove],
  }
}

function valueOf([name, value]: HeaderLine): { key: string; raw_value: Buffer } {
  return { key: name.toLowerCase(), raw_value: Buffer.from(value, 'latin1') }
}

/** It replaces the whole mode: the other members stay as they are known to be. */
function overrideOf(asked: ModeOverride, modes: Modes): object {
  const request = asked.requestBody ?? modes.request ?? 'NONE'
  const response = asked.responseBody ?? modes.response ?? 'NONE'
  const trailers = (mode: BodyMode): string => (mode === 'FULL_DUPLEX_STREAMED' ? 'SEND' : 'DEFAULT')
  return {
    response_header_mode: 'SEND',
    request_body_mode: request,
    response_body_mode: response,
    request_trailer_mode: asked.requestTrailers ?? trailers(request),
    response_trailer_mode: asked.responseTrailers ?? trailers(response),
  }
}
