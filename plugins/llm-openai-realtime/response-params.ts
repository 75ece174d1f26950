/** The parameters of `response.create`, combined with the session. */
import type { Engine } from '../llm/types.ts'
import { anyObject, boolean, list, object, string, textOr, unknownParameter, type Check } from './checks.ts'
import {
  format,
  fullFormat,
  maxOutputTokens,
  outputModalities,
  prompt,
  reasoning,
  toolChoice,
  tools,
  voice,
  type FormatSetting,
  type Session,
} from './session.ts'

export interface ResponseParams {
  conversation: 'auto' | 'none'
  /** Items that replace the conversation; undefined: the conversation. */
  input: unknown[] | undefined
  instructions: string
  output_modalities: Session['output_modalities']
  tools: unknown[]
  tool_choice: unknown
  max_output_tokens: number | 'inf'
  metadata: unknown
  audio: { output: { format: FormatSetting; voice: unknown } }
}

const form: Check = object({
  audio: object({ output: object({ format, voice }) }),
  conversation: string,
  input: list(anyObject),
  instructions: string,
  max_output_tokens: maxOutputTokens,
  metadata: textOr(string, (engine, value, at) => (value === null ? null : anyObject(engine, value, at))),
  output_modalities: outputModalities,
  parallel_tool_calls: boolean,
  prompt,
  reasoning,
  tool_choice: toolChoice,
  tools,
})

/** Throws `engine.badInput` for wrong parameters. */
export function readParams(engine: Engine, given: unknown, session: Session): ResponseParams {
  const params = form(engine, given, 'response') as Partial<Omit<ResponseParams, 'audio'>> & {
    audio?: { output?: Partial<ResponseParams['audio']['output']> }
  }
  const { conversation = 'auto' } = params
  if (conversation !== 'auto' && conversation !== 'none')
    throw engine.badInput("Invalid value for 'response.conversation': expected one of auto, none.", {
      param: 'response.conversation',
      code: 'invalid_value',
    })
  const { output } = session.audio
  return {
    conversation,
    input: params.input,
    instructions: params.instructions ?? session.instructions,
    output_modalities: params.output_modalities ?? session.output_modalities,
    tools: params.tools ?? session.tools,
    tool_choice: params.tool_choice ?? session.tool_choice,
    max_output_tokens: params.max_output_tokens ?? session.max_output_tokens,
    metadata: params.metadata ?? null,
    audio: {
      output: {
        format: fullFormat(params.audio?.output?.format ?? output.format),
        voice: params.audio?.output?.voice ?? output.voice,
      },
    },
  }
}

/** Refuses members of an event that are not known. */
export function checkMembers(engine: Engine, event: Record<string, unknown>, known: readonly string[]): void {
  for (const name of Object.keys(event))
    if (name !== 'type' && name !== 'event_id' && !known.includes(name)) throw unknownParameter(engine, name)
}
