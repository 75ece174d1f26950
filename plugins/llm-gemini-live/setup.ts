/** The first message of a client: what its session is like. */
import type { Engine } from '../llm/types.ts'
import { fieldOf, readFields } from './fields.ts'

export interface Setup {
  model: string
  isSpoken: boolean
  /** Members of a request for content: instructions, tools and configuration. */
  request: Record<string, unknown>
  transcribesInput: boolean
  transcribesOutput: boolean
  /** Speech in the audio begins and ends turns, after this silence; null: the client says when. */
  silenceMs: number | null
  interrupts: boolean
  /** The client gets handles for resuming. */
  isResumable: boolean
  handle: string | null
}

const KNOWN = [
  'model',
  'generationConfig',
  'systemInstruction',
  'tools',
  'realtimeInputConfig',
  'sessionResumption',
  'contextWindowCompression',
  'inputAudioTranscription',
  'outputAudioTranscription',
  'proactivity',
  'historyConfig',
  'explicitVadSignal',
  'avatarConfig',
  'safetySettings',
]
const CONFIG_KNOWN = [
  'modelSelectionConfig',
  'responseJsonSchema',
  'audioTranscriptionConfig',
  'audioTimestamp',
  'candidateCount',
  'enableAffectiveDialog',
  'frequencyPenalty',
  'logprobs',
  'maxOutputTokens',
  'mediaResolution',
  'presencePenalty',
  'responseFormat',
  'responseLogprobs',
  'responseMimeType',
  'responseModalities',
  'responseSchema',
  'routingConfig',
  'seed',
  'speechConfig',
  'stopSequences',
  'temperature',
  'thinkingConfig',
  'topK',
  'topP',
  'enableEnhancedCivicAnswers',
  'translationConfig',
]
const SILENCE_MS = 500
const MAX_SILENCE_MS = 60_000
const MAX_NAME = 200

/** Throws `engine.badInput` for a wrong setup. */
export function readSetup(engine: Engine, given: unknown): Setup {
  const { json } = engine
  const setup = readFields(engine, given, 'setup', KNOWN)
  const model = json.textOf(setup.model)
  if (model === undefined) throw engine.badInput('setup.model is required.')
  const input = setup.realtimeInputConfig
  const detection = fieldOf(engine, input, 'automaticActivityDetection')
  const silence = json.countOf(fieldOf(engine, detection, 'silenceDurationMs'))
  const { sessionResumption } = setup
  if (setup.generationConfig != null)
    readFields(engine, setup.generationConfig, 'setup.generation_config', CONFIG_KNOWN)
  return {
    model: model.replace(/^models\//, '').slice(0, MAX_NAME),
    isSpoken: isSpoken(engine, setup.generationConfig),
    request: Object.fromEntries(
      ['generationConfig', 'systemInstruction', 'tools'].flatMap(name =>
        setup[name] === undefined ? [] : [[name, setup[name]]],
      ),
    ),
    transcribesInput: setup.inputAudioTranscription != null,
    transcribesOutput: setup.outputAudioTranscription != null,
    silenceMs: json.own(detection, 'disabled') === true ? null : Math.min(silence ?? SILENCE_MS, MAX_SILENCE_MS),
    interrupts: fieldOf(engine, input, 'activityHandling') !== 'NO_INTERRUPTION',
    isResumable: sessionResumption != null,
    handle: json.textOf(json.own(sessionResumption, 'handle')) ?? null,
  }
}

function isSpoken(engine: Engine, config: unknown): boolean {
  const modalities = fieldOf(engine, config, 'responseModalities') ?? ['AUDIO']
  const [only, more] = engine.json.listOf(modalities)
  if ((only === 'TEXT' || only === 'AUDIO') && more === undefined) return only === 'AUDIO'
  throw engine.badInput('setup.generationConfig.responseModalities: expected either ["TEXT"] or ["AUDIO"].')
}
