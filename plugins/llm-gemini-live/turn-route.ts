/** The generation of a turn of the model: a request of its own, and the messages of its reply. */
import type { ChatParsed, ChatResult, Engine, Finish, LlmRoute, StreamEvent } from '../llm/types.ts'
import type { ReadGeminiRequest } from '../llm-gemini/types.ts'
import type { Turn } from './history.ts'
import type { Setup } from './setup.ts'

/** What the socket knows when it asks for a turn. */
export interface TurnSetting {
  setup: Setup
  turns: readonly Turn[]
  sound: 'silence' | 'tone'
}

export type TurnParsed = ChatParsed<Pick<TurnSetting, 'setup' | 'sound'>>

const PIECE_MS = 80
const OUTPUT_TOKEN_MS = 50
const INPUT_TOKEN_MS = 100
const OUTPUT = { coding: 'pcm', rate: 24_000 } as const

const finishReasons: Record<Finish, string> = {
  stop: 'STOP',
  stop_sequence: 'STOP',
  length: 'MAX_TOKENS',
  tool_calls: 'STOP',
  content_filter: 'SAFETY',
  prompt_filter: 'SAFETY',
}

export function turnRoute(engine: Engine, readRequest: ReadGeminiRequest): LlmRoute<TurnParsed> {
  return {
    method: 'POST',
    path: '/ws',
    op: 'chat',
    describe: { summary: 'a turn on a socket', examples: [] },
    replyMembers: ['heard'],
    finishReasons,
    parse(input) {
      const { setup, turns, sound } = input.socketData as TurnSetting
      engine.takeHistory(input.output(), input.body.length)
      const inputMs = turns.reduce((sum, { audioMs }) => sum + audioMs, 0)
      return {
        op: 'chat',
        model: setup.model,
        stream: true,
        request: readRequest(engine, input.json(), setup.model, 1),
        audio: {
          input: Math.ceil(inputMs / INPUT_TOKEN_MS),
          perToken: setup.isSpoken ? PIECE_MS / OUTPUT_TOKEN_MS : 0,
        },
        wire: { setup, sound },
      }
    },
    render: () => ({ body: {} }),
    stream: (result, parsed) => turnMessages(engine, result, parsed),
  }
}

function* turnMessages(engine: Engine, result: ChatResult, { wire }: TurnParsed): Iterable<StreamEvent> {
  const { setup, sound } = wire
  const [choice] = result.choices
  const make = engine.audio.createSound(OUTPUT, sound)
  let place = 0
  for (const text of choice!.pieces) {
    const data = setup.isSpoken ? make(place++ * PIECE_MS, PIECE_MS).toString('base64') : ''
    const part = setup.isSpoken ? { inlineData: { mimeType: `audio/pcm;rate=${OUTPUT.rate}`, data } } : { text }
    yield { data: { serverContent: { modelTurn: { role: 'model', parts: [part] } } }, paced: true }
    if (setup.isSpoken && setup.transcribesOutput) yield { data: { serverContent: { outputTranscription: { text } } } }
  }
  if (choice!.calls.length > 0) yield { data: { toolCall: { functionCalls: choice!.calls.map(callOf) } }, paced: true }
  yield { data: { serverContent: { generationComplete: true } } }
}

/** A call as messages and contents have it. */
export function callOf({ id, givenId, name, args }: ChatResult['choices'][number]['calls'][number]): object {
  return { id: givenId ?? id, name, args }
}

/** The usage of a turn; `sent`: its text tokens, if it was interrupted. */
export function usageOf(result: ChatResult, sent: number | null): object {
  const { input: audioInput, output: audioOutput } = result.audio ?? { input: 0, output: 0 }
  const text = result.completionTokens - audioOutput
  const textOutput = sent === null ? text : Math.min(sent, text)
  const spoken = sent === null || text === 0 ? audioOutput : Math.ceil((audioOutput * textOutput) / text)
  const detailsOf = (textTokens: number, audioTokens: number): object[] => [
    { modality: 'TEXT', tokenCount: textTokens },
    ...(audioTokens === 0 ? [] : [{ modality: 'AUDIO', tokenCount: audioTokens }]),
  ]
  const cached = result.cachedTokens ?? 0
  return {
    promptTokenCount: result.promptTokens,
    ...(cached === 0 ? {} : { cachedContentTokenCount: cached }),
    responseTokenCount: textOutput + spoken,
    totalTokenCount: result.promptTokens + textOutput + spoken,
    promptTokensDetails: detailsOf(result.promptTokens - audioInput, audioInput),
    responseTokensDetails: detailsOf(textOutput, spoken),
  }
}
