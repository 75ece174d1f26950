/** What scenes of conversations are made of. */
import { emptyRequest } from '../../wires/neutral.ts'
import type { Part, Request, Tool } from '../../wires/types.ts'
import type { Mode, RuleStep, Scene } from './types.ts'

export const BOTH_MODES: readonly Mode[] = ['plain', 'stream']

export const textPart = (text: string): Part => ({ type: 'text', text })

export const TOOLS: readonly Tool[] = [
  {
    name: 'weather',
    description: 'Tells the weather of a city',
    schema: {
      type: 'object',
      properties: { city: { type: 'string', description: 'The city' }, note: { type: 'string' } },
      required: ['city'],
    },
  },
  { name: 'clock', description: 'Tells the time', schema: { type: 'object', properties: {} } },
]

/** A short question, with more members. */
export function question(text: string, more: Partial<Request> = {}): Request {
  return {
    ...emptyRequest(),
    turns: [{ role: 'user', parts: [textPart(text)] }],
    params: { max_tokens: 4_096 },
    ...more,
  }
}

/** Without pauses: checks of translation do not measure time. */
const FAST = { ttft_ms: 0, tokens_per_second: 100_000 }

/** A scene of one exchange to generate a reply, plain and streamed. */
export function scene(
  id: string,
  request: Request,
  { stream, ...reply }: RuleStep & { stream?: RuleStep },
  modes: readonly Mode[] = BOTH_MODES,
): Scene {
  const step = { template: false, ...reply, stream: { ...FAST, ...stream } }
  return { id, modes, operation: 'generate', request, reply: { reply: step } }
}
