/** The parts of an HTTP exchange that a gateway sends, one message each, and a body in several. */

export type Side = 'request' | 'response'
export type Part = 'headers' | 'body' | 'trailers'
export type Phase = `${Side}_${Part}`

export const PHASES: readonly Phase[] = [
  'request_headers',
  'request_body',
  'request_trailers',
  'response_headers',
  'response_body',
  'response_trailers',
]

/** `BodySendMode` of Envoy. */
export type BodyMode = 'NONE' | 'STREAMED' | 'BUFFERED' | 'BUFFERED_PARTIAL' | 'FULL_DUPLEX_STREAMED' | 'GRPC'

/** What the gateway should send from now on; absent members stay as they are. */
export interface ModeOverride {
  requestBody?: BodyMode
  responseBody?: BodyMode
  requestTrailers?: 'SEND' | 'SKIP'
  responseTrailers?: 'SEND' | 'SKIP'
}

/** Whether a message of this mode has the whole body, or all of it that the gateway sends. */
export function isBuffered(mode: BodyMode | null): boolean {
  return mode === 'BUFFERED' || mode === 'BUFFERED_PARTIAL'
}

/** Whether bodies are answered at any time, in pieces of any size. */
export function isDuplex(mode: BodyMode | null): boolean {
  return mode === 'FULL_DUPLEX_STREAMED' || mode === 'GRPC'
}
