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

/** What most scenes are answered. */
export const DONE: RuleStep = { text: 'Done.' }

/** A schema with what schemas of agents have: bounds, an enum, lists, a null type, descriptions, objects within. */
export const NESTED_SCHEMA = {
  type: 'object',
  description: 'Where and when',
  properties: {
    place: {
      type: 'object',
      description: 'A place on the map',
      properties: {
        name: { type: 'string', description: 'Its name', minLength: 2 },
        kind: { type: 'string', enum: ['town', 'village', 'hamlet'] },
      },
      required: ['name', 'kind'],
      additionalProperties: false,
    },
    days: { type: 'integer', description: 'How many days', minimum: 1, maximum: 14 },
    tags: { type: 'array', items: { type: 'string' }, maxItems: 5 },
    note: { anyOf: [{ type: 'string' }, { type: 'null' }], description: 'If there is one' },
  },
  required: ['place', 'days', 'tags', 'note'],
  additionalProperties: false,
}

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
  { modes = BOTH_MODES, ...more }: Partial<Scene> = {},
): Scene {
  const step = { template: false, ...reply, stream: { ...FAST, ...stream } }
  return { id, modes, operation: 'generate', request, reply: { reply: step }, ...more }
}
