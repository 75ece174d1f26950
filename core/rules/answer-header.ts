/** `X-Svc-Answer`: the response that a request asks for. */
import type { Json, JsonObject } from '../contract/json.ts'
import { asInteger, asObject, InputProblem, readOrProblem, type Problem } from '../toolkit/input-problem.ts'
import type { RuleBounds } from './bounds.ts'
import { encodingOf, ENCODINGS, readEncoding, type ResponseEncoding } from './encoding.ts'
import { readHeaderJson } from './header-json.ts'
import { readRespond, type RespondStep } from './respond.ts'

export interface Answer {
  respond: RespondStep
  /** Milliseconds before the head. */
  delayMs: number
  /** The content coding of the response; null: as it is. */
  encoding: ResponseEncoding | null
}

const MAX_CHARACTERS = 12_288
const EXPECTED = 'expected a status such as 503, or a response as a JSON object, or base64url of it'
/** For a handshake that the response refuses (RFC 6455, 4.2.2). */
const MIN_REFUSAL = 400

/**
 * Reads the value of the header, or an object: a status alone, or what `respond` of a rule has, with `delay` in milliseconds and
 * `encoding`. `isHandshake`: of a WebSocket, which takes statuses from 400 on.
 */
export function readAnswer(
  value: string | JsonObject,
  bounds: RuleBounds,
  { isHandshake }: { isHandshake: boolean },
): { value: Answer } | { problem: Problem } {
  return readOrProblem(() => {
    const { delay, encoding, ...given } =
      typeof value === 'object'
        ? value
        : /^\s*\d{3}\s*$/.test(value)
          ? { status: Number(value) }
          : asObject(limited(value), '', EXPECTED)
    const respond = readRespond(given, '', bounds)
    if (isHandshake && respond.status < MIN_REFUSAL)
      throw new InputProblem('status', `expected a status of at least ${MIN_REFUSAL} for a WebSocket handshake`)
    return {
      respond,
      delayMs: delay === undefined ? 0 : asInteger(delay, 'delay', 0, bounds.maxDelayMs),
      encoding: encoding === undefined ? null : asEncoding(encoding),
    }
  })
}

function asEncoding(value: Json): ResponseEncoding | null {
  const name = typeof value === 'string' ? readEncoding(value) : null
  if (name === null) throw new InputProblem('encoding', `expected one of ${ENCODINGS.join(', ')}`)
  return encodingOf(name)
}

function limited(text: string): unknown {
  if (text.length > MAX_CHARACTERS) throw new InputProblem('', `expected at most ${MAX_CHARACTERS} characters`)
  if (/[^\t\x20-\x7e]/.test(text)) throw new InputProblem('', 'expected ASCII, or base64url of UTF-8')
  return readHeaderJson(text, MAX_CHARACTERS, EXPECTED)
}
