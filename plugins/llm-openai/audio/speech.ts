/** `POST /audio/speech`: silence, with a duration that depends on the text. */
import { isRecord } from 'svc/toolkit'
import type { Engine, LlmRoute, OwnParsed, RouteInput, StreamEvent } from '../../llm/types.ts'
import { describePost } from '../format/describe.ts'

interface SpeechWire {
  format: string
  seconds: number
}
type Parsed = OwnParsed<SpeechWire>

const formats: Readonly<Record<string, { type: string; make: (seconds: number) => Buffer }>> = {
  mp3: { type: 'audio/mpeg', make: silentMp3 },
  wav: { type: 'audio/wav', make: silentWav },
  pcm: { type: 'audio/pcm', make: seconds => Buffer.alloc(seconds * sampleRate * 2) },
}
const sampleRate = 24_000
const charactersPerSecond = 50
const maxSeconds = 5
const deltaBytes = 8192

export function speech(engine: Engine): LlmRoute<Parsed> {
  return {
    method: 'POST',
    path: '/audio/speech',
    op: 'speech',
    describe: describePost('/audio/speech', 'generate speech', [
      { name: 'A second of silence', body: { model: 'tts-1', input: 'hello', voice: 'alloy' } },
    ]),
    framing: 'sse',
    parse: input => parse(engine, input),
    render: (_result, { wire }) => ({ body: soundOf(wire), contentType: formats[wire.format]?.type ?? 'audio/mpeg' }),
    stream: (_result, parsed) => streamSound(parsed),
  }
}

function parse(engine: Engine, input: RouteInput): Parsed {
  const { json } = engine
  const body = input.json()
  const text = json.textOf(body.input)
  const missing = (param: string): Error =>
    engine.badInput(`Missing required parameter: '${param}'.`, { param, code: 'missing_required_parameter' })
  if (text === undefined) throw missing('input')
  if (json.textOf(body.voice) === undefined && !isRecord(body.voice)) throw missing('voice')
  const format = body.response_format === undefined ? 'mp3' : json.asText(body.response_format)
  if (!Object.hasOwn(formats, format))
    throw engine.badInput(`Invalid value for 'response_format': expected one of ${Object.keys(formats).join(', ')}.`, {
      param: 'response_format',
      code: 'invalid_value',
    })
  return {
    op: 'own',
    mode: 'speech',
    model: json.textOf(body.model) ?? input.defaultModel ?? 'tts-1',
    stream: body.stream_format === 'sse',
    prompt: text,
    promptTokens: engine.count(text),
    completionTokens: 0,
    wire: { format, seconds: Math.min(Math.max(1, Math.ceil(text.length / charactersPerSecond)), maxSeconds) },
  }
}

function soundOf({ format, seconds }: SpeechWire): Buffer {
  return (formats[format]?.make ?? silentMp3)(seconds)
}

function* streamSound({ wire, promptTokens }: Parsed): Iterable<StreamEvent> {
  const sound = soundOf(wire)
  for (let at = 0; at < sound.length; at += deltaBytes)
    yield { data: { type: 'speech.audio.delta', audio: sound.subarray(at, at + deltaBytes).toString('base64') } }
  yield {
    data: {
      type: 'speech.audio.done',
      usage: { input_tokens: promptTokens, output_tokens: 0, total_tokens: promptTokens },
    },
  }
}

/** Silent MPEG-1 Layer III frames, 32 kbit/s, 44.1 kHz, mono: 104 bytes and 1152 samples each. */
function silentMp3(seconds: number): Buffer {
  const frame = Buffer.alloc(104)
  frame.set([0xff, 0xfb, 0x10, 0xc0])
  return Buffer.concat(Array.from({ length: Math.ceil((seconds * 44_100) / 1152) }, () => frame))
}

/** RIFF/WAVE with 16-bit mono PCM at 24 kHz. */
function silentWav(seconds: number): Buffer {
  const dataBytes = seconds * sampleRate * 2
  const wav = Buffer.alloc(44 + dataBytes)
  wav.write('RIFF', 0, 'latin1')
  wav.writeUInt32LE(36 + dataBytes, 4)
  wav.write('WAVEfmt ', 8, 'latin1')
  wav.writeUInt32LE(16, 16)
  wav.writeUInt16LE(1, 20)
  wav.writeUInt16LE(1, 22)
  wav.writeUInt32LE(sampleRate, 24)
  wav.writeUInt32LE(sampleRate * 2, 28)
  wav.writeUInt16LE(2, 32)
  wav.writeUInt16LE(16, 34)
  wav.write('data', 36, 'latin1')
  wav.writeUInt32LE(dataBytes, 40)
  return wav
}
