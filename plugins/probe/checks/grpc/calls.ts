/** Calls of the echo service, and what comes back. */
import type { Call } from '../../client/evidence.ts'
import { echoMessage, grpcFrame, grpcFrames } from '../../client/grpc-frames.ts'
import type { Part, RequestSpec } from '../../client/request.ts'
import type { Field } from '../../client/response-parser.ts'
import { bytes, chunk, listMembers, type Action } from '../builders.ts'

const SERVICE = '/svc.echo.v1.EchoService'

/** A call with these messages, some time apart. */
export function grpcCall(
  label: string,
  method: string,
  messages: readonly string[],
  { gapMs = 200, fields = [], ...more }: Partial<RequestSpec> & { gapMs?: number } = {},
): RequestSpec {
  const frames = messages.map(text => grpcFrame(echoMessage(text)))
  return {
    label,
    method: 'POST',
    path: `${SERVICE}/${method}`,
    fields: [['content-type', 'application/grpc'], ['te', 'trailers'], ['user-agent', 'grpc-svc-probe/1.0'], ...fields],
    parts: () => frames.flatMap((frame, index): Part[] => (index === 0 ? [frame] : [{ waitMs: gapMs }, frame])),
    http2: true,
    silenceMs: 6_000,
    ...more,
  }
}

export const replyHead = (fields: readonly Field[] = []): Action =>
  bytes(`HTTP/1.1 200 OK\r\ncontent-type: application/grpc\r\n${linesOf(fields)}transfer-encoding: chunked\r\n\r\n`)
export const reply = (text: string): Action => bytes(chunk(grpcFrame(echoMessage(text)).toString('latin1')))
export const replyEnd = (fields: readonly Field[] = [['grpc-status', '0']]): Action =>
  bytes(`0\r\n${linesOf(fields)}\r\n`)

function linesOf(fields: readonly Field[]): string {
  return fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')
}

const messagesIn = (content: Buffer): string[] => grpcFrames(content).messages
const expected = (texts: readonly string[]): string =>
  texts.map(text => echoMessage(text).toString('latin1')).join('\0')

export const hasArrived = ({ arrival }: Call, texts: readonly string[]): boolean =>
  messagesIn(arrival?.content ?? Buffer.alloc(0)).join('\0') === expected(texts)
export const hasComeBack = ({ response }: Call, texts: readonly string[]): boolean =>
  messagesIn(response?.body ?? Buffer.alloc(0)).join('\0') === expected(texts)

/** A field of the trailers; of the head, if there is nothing else. */
export function trailer({ response }: Call, name: string): string | null {
  const found = response?.trailers.find(([one]) => one === name) ?? response?.fields.find(([one]) => one === name)
  return found?.[1] ?? null
}

/** Binary metadata with or without padding; several values may be joined. */
export function binaryValues(values: readonly string[]): string[] {
  return listMembers(values).map(value => Buffer.from(value, 'base64').toString('hex'))
}

/** The text of `grpc-message`, which is percent-encoded. */
export function decodedMessage(text: string | null): string {
  try {
    return decodeURIComponent(text ?? '')
  } catch {
    return text ?? ''
  }
}
