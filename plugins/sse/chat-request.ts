/** Parses requests to `/sse/chat`: the query and the JSON body. */
import { integerParameter, invalidParameter, readJsonObject, refusal, type Config, type HttpError } from 'svc/plugin'

export interface ChatRequest {
  prompt: string
  /** Maximum number of words in the reply. */
  maxTokens: number
  /** Milliseconds between words. */
  delayMs: number
}

const DEFAULT_DELAY_MS = 50

/** Reads the query and the body; values in the body take precedence. Throws `invalid_json` or `invalid_parameter`. */
export function readChatRequest(query: URLSearchParams, body: Buffer, { publicMode }: Config): ChatRequest {
  const caps = publicMode ? { maxTokens: 200, delayMs: 1000 } : { maxTokens: 500, delayMs: 2000 }
  const members = readJsonObject(body)
  if (members === null) throw invalidJson()
  const maxTokens =
    integerMember(members, 'max_tokens') ?? integerParameter(query, 'max_tokens', { fallback: caps.maxTokens })
  const delayMs =
    integerMember(members, 'delay_ms', caps.delayMs) ??
    integerParameter(query, 'delay_ms', { fallback: DEFAULT_DELAY_MS, max: caps.delayMs })
  return {
    prompt: stringMember(members, 'prompt') ?? query.get('prompt') ?? '',
    maxTokens: Math.min(Math.max(maxTokens, 1), caps.maxTokens),
    delayMs,
  }
}

/** An integer from 0 to `max`, or any integer without `max`. */
function integerMember(members: Record<string, unknown>, name: string, max?: number): number | undefined {
  const value = members[name]
  if (value === undefined) return undefined
  if (typeof value === 'number' && Number.isInteger(value) && (max === undefined || (value >= 0 && value <= max)))
    return value
  throw invalidParameter(name, `invalid ${name} (expected an integer${max === undefined ? '' : ` from 0 to ${max}`})`)
}

function stringMember(members: Record<string, unknown>, name: string): string | undefined {
  const value = members[name]
  if (value === undefined || typeof value === 'string') return value
  throw invalidParameter(name, `invalid ${name} (expected a string)`)
}

function invalidJson(): HttpError {
  return refusal(
    400,
    'invalid_json',
    'the body must be empty, or a JSON object in UTF-8 with prompt, max_tokens or delay_ms',
  )
}
