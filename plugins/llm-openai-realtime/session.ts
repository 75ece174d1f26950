/** The settings of a realtime session: their defaults, and how an update changes them. */
import type { AudioFormat, Engine } from '../llm/types.ts'
import {
  anyObject,
  boolean,
  integer,
  list,
  nullOr,
  number,
  object,
  oneOf,
  string,
  textOr,
  type Check,
} from './checks.ts'

export interface TurnDetection {
  type: 'server_vad' | 'semantic_vad'
  prefix_padding_ms?: number
  silence_duration_ms?: number
  idle_timeout_ms?: number | null
  create_response?: boolean
  interrupt_response?: boolean
  [member: string]: unknown
}

export interface FormatSetting {
  type: 'audio/pcm' | 'audio/pcmu' | 'audio/pcma'
  rate?: number
}

export interface Session {
  type: 'realtime' | 'transcription'
  model: string
  output_modalities: ('text' | 'audio')[]
  instructions: string
  tools: unknown[]
  tool_choice: unknown
  max_output_tokens: number | 'inf'
  audio: {
    input: {
      format: FormatSetting
      transcription: object | null
      noise_reduction: object | null
      turn_detection: TurnDetection | null
    }
    output: { format: FormatSetting; voice: unknown; speed: number }
  }
  /** Members that have no effect. */
  tracing: unknown
  truncation: unknown
  prompt: unknown
  include: unknown
  [member: string]: unknown
}

const PCM: FormatSetting = { type: 'audio/pcm', rate: 24_000 }
const G711_RATE = 8000

const SERVER_VAD: TurnDetection = {
  type: 'server_vad',
  threshold: 0.5,
  prefix_padding_ms: 300,
  silence_duration_ms: 500,
  idle_timeout_ms: null,
  create_response: true,
  interrupt_response: true,
}
const SEMANTIC_VAD: TurnDetection = {
  type: 'semantic_vad',
  eagerness: 'auto',
  create_response: true,
  interrupt_response: true,
}

export function newSession(type: Session['type'], model: string): Session {
  return {
    type,
    model,
    output_modalities: ['audio'],
    instructions: '',
    tools: [],
    tool_choice: 'auto',
    max_output_tokens: 'inf',
    tracing: null,
    truncation: 'auto',
    prompt: null,
    audio: {
      input: { format: PCM, transcription: null, noise_reduction: null, turn_detection: SERVER_VAD },
      output: { format: PCM, voice: 'marin', speed: 1 },
    },
    include: null,
  }
}

/** The session as events show it. */
export function showSession(
  { type, audio, include, ...rest }: Session,
  { id, expiresAt }: { id: string; expiresAt: number },
): object {
  if (type === 'transcription')
    return {
      type,
      id,
      object: 'realtime.transcription_session',
      expires_at: expiresAt,
      audio: { input: audio.input },
      include,
    }
  return { type, id, object: 'realtime.session', ...rest, expires_at: expiresAt, audio, include }
}

const MAX_MS = 60_000
const MIN_IDLE_MS = 5000
const MAX_IDLE_MS = 30_000
const MAX_TOKENS = 1_000_000

export const format = object({ type: oneOf('audio/pcm', 'audio/pcmu', 'audio/pcma'), rate: oneOf(24_000) }, ['type'])
export const voice = textOr(string, object({ id: string }, ['id']))
export const outputModalities: Check = (engine, value, at) => {
  const given = list(oneOf('text', 'audio'))(engine, value, at) as unknown[]
  if (given.length === 1) return given
  throw engine.badInput(`Invalid value for '${at}': expected either ["text"] or ["audio"].`, {
    param: at,
    code: 'invalid_value',
  })
}
export const maxOutputTokens = textOr(oneOf('inf'), integer(1, MAX_TOKENS))
const tool: Check = (engine, value, at) => {
  const given = anyObject(engine, value, at) as Record<string, unknown>
  oneOf('function', 'mcp')(engine, given.type, `${at}.type`)
  const name = given.type === 'function' ? 'name' : 'server_label'
  string(engine, given[name], `${at}.${name}`)
  return given
}
export const tools = list(tool)
export const toolChoice = textOr(oneOf('auto', 'none', 'required'), anyObject)
export const prompt = nullOr(anyObject)
export const reasoning = nullOr(object({ effort: oneOf('minimal', 'low', 'medium', 'high', 'xhigh') }))

const turnDetection = nullOr(
  object(
    {
      type: oneOf('server_vad', 'semantic_vad'),
      threshold: number(0, 1),
      prefix_padding_ms: integer(0, MAX_MS),
      silence_duration_ms: integer(0, MAX_MS),
      idle_timeout_ms: nullOr(integer(MIN_IDLE_MS, MAX_IDLE_MS)),
      create_response: boolean,
      interrupt_response: boolean,
      eagerness: oneOf('low', 'medium', 'high', 'auto'),
    },
    ['type'],
  ),
)
const input = object({
  format,
  transcription: nullOr(
    object({
      model: string,
      language: string,
      prompt: string,
      languages: list(string),
      keywords: list(string),
      delay: string,
    }),
  ),
  noise_reduction: nullOr(object({ type: oneOf('near_field', 'far_field'), strength: number(0, 1) })),
  turn_detection: turnDetection,
})
const output = object({ format, voice, speed: number(0.25, 1.5) })
const include = nullOr(list(oneOf('item.input_audio_transcription.logprobs')))
const type = oneOf('realtime', 'transcription')

const FORMS: Readonly<Record<Session['type'], Check>> = {
  realtime: object({
    type,
    model: string,
    output_modalities: outputModalities,
    instructions: string,
    tools,
    tool_choice: toolChoice,
    max_output_tokens: maxOutputTokens,
    tracing: nullOr(textOr(oneOf('auto'), anyObject)),
    truncation: textOr(oneOf('auto', 'disabled'), anyObject),
    prompt,
    reasoning,
    parallel_tool_calls: boolean,
    audio: object({ input, output }),
    include,
  }),
  transcription: object({ type, audio: object({ input }), include }),
}

type SessionChanges = Partial<Omit<Session, 'audio'>> & {
  audio?: { input?: Partial<Session['audio']['input']>; output?: Partial<Session['audio']['output']> }
}

/** The session with the changes that a client sends. Throws `engine.badInput` for wrong ones. */
export function updateSession(
  engine: Engine,
  session: Session,
  given: unknown,
  { isOpen = false, hasSpoken = false } = {},
): Session {
  const named = engine.json.own(given, 'type')
  if (named !== undefined && named !== session.type) {
    type(engine, named, 'session.type')
    throw engine.badInput('The type of a session cannot be changed.', { param: 'session.type', code: 'invalid_value' })
  }
  const model = engine.json.own(given, 'model')
  if (isOpen && typeof model === 'string' && model !== session.model)
    throw engine.badInput('The model of a session cannot be changed.', {
      param: 'session.model',
      code: 'invalid_value',
    })
  const { audio = {}, ...changes } = FORMS[session.type](engine, given, 'session') as SessionChanges
  const next: Session = {
    ...session,
    ...changes,
    audio: { input: { ...session.audio.input, ...audio.input }, output: { ...session.audio.output, ...audio.output } },
  }
  next.audio.input.format = fullFormat(next.audio.input.format)
  next.audio.output.format = fullFormat(next.audio.output.format)
  next.audio.input.turn_detection = fullDetection(next.audio.input.turn_detection, session.audio.input.turn_detection)
  if (hasSpoken && JSON.stringify(next.audio.output.voice) !== JSON.stringify(session.audio.output.voice))
    throw engine.badInput("Cannot update a conversation's voice if assistant audio is present.", {
      param: 'session.audio.output.voice',
      code: 'cannot_update_voice',
    })
  return next
}

export function fullFormat(given: FormatSetting): FormatSetting {
  return given.type === 'audio/pcm' ? PCM : { type: given.type }
}

function fullDetection(next: TurnDetection | null, before: TurnDetection | null): TurnDetection | null {
  if (next === null) return null
  const usual = next.type === 'server_vad' ? SERVER_VAD : SEMANTIC_VAD
  return { ...usual, ...(before?.type === next.type ? before : {}), ...next }
}

/** The format as the engine has it. */
export function audioFormat({ type: name }: FormatSetting): AudioFormat {
  if (name === 'audio/pcm') return { coding: 'pcm', rate: 24_000 }
  return { coding: name === 'audio/pcmu' ? 'mu-law' : 'a-law', rate: G711_RATE }
}
