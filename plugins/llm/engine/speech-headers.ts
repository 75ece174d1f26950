/** Headers of a handshake about speech: what spoken input says, and how replies sound. */
import { BadInput } from '../contract/errors.ts'
import type { RouteInput } from '../contract/route.ts'
import { own } from './json.ts'

export interface SpeechHeaders {
  /** What spoken input says; null: its duration. */
  spokenText: string | null
  sound: 'silence' | 'tone'
}

/** `X-Svc-Audio`, for the description of a route. */
export const soundParameter = {
  name: 'X-Svc-Audio',
  in: 'header' as const,
  description: 'The sound of replies',
  schema: { enum: ['silence', 'tone'] },
}

/** Reads `X-Svc-Audio`, and the text of speech in `X-Svc-Reply-Json`. Throws `badInput` if that is not a text. */
export function readSpeechHeaders(input: RouteInput): SpeechHeaders {
  return { spokenText: spokenTextOf(input), sound: soundOf(input) }
}

function spokenTextOf(input: RouteInput): string | null {
  const text = own(input.replyMembers(), 'heard')
  if (text === undefined) return null
  if (typeof text === 'string') return text
  throw new BadInput('X-Svc-Reply-Json: heard: expected a text', { param: 'X-Svc-Reply-Json' })
}

function soundOf({ headers, ignoreHeader }: RouteInput): SpeechHeaders['sound'] {
  const given = headers['x-svc-audio']
  if (given === undefined || given === 'silence') return 'silence'
  if (given === 'tone') return 'tone'
  ignoreHeader('X-Svc-Audio', 'expected silence or tone')
  return 'silence'
}
