/** `POST /audio/transcriptions` and `/audio/translations`: the same text for every recording. */
import type { Engine, LlmRoute, OwnParsed, RouteInput, StreamEvent } from '../../llm/types.ts'

type Task = 'transcriptions' | 'translations'
interface AudioWire {
  text: string
  format: string
  language: string
  /** Duration of the recording in seconds. */
  duration: number
  withWords: boolean
}
type Parsed = OwnParsed<AudioWire>

const fixedText = 'Hello from svc. This is a fixed transcription for gateway demos.'
const bytesPerSecond = 16_000
const tokensPerSecond = 10

export function transcriptions(engine: Engine, task: Task): LlmRoute<Parsed> {
  return {
    method: 'POST',
    path: `/audio/${task}`,
    op: 'transcribe',
    describe: {
      summary: task === 'transcriptions' ? 'transcribe audio' : 'translate audio into English',
      requestBody: {
        required: true,
        content: {
          'multipart/form-data': {
            type: 'object',
            properties: { file: { type: 'string', format: 'binary' }, model: { type: 'string' } },
            required: ['file'],
          },
        },
      },
      examples: [
        {
          name: 'A few bytes',
          method: 'POST',
          path: `/ai/openai/v1/audio/${task}`,
          headers: [{ name: 'Content-Type', value: 'multipart/form-data; boundary=svc' }],
          body: '--svc\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\nContent-Type: audio/wav\r\n\r\nRIFF\r\n--svc--\r\n',
          bodyType: null,
          expectStatus: 200,
        },
      ],
    },
    framing: 'sse',
    parse: input => parse(engine, input),
    withReply(parsed, { text, ...others }) {
      const [unknown] = Object.keys(others)
      if (unknown !== undefined) throw engine.badReply(unknown.slice(0, 100), 'expected only text')
      if (typeof text !== 'string') throw engine.badReply('text', 'expected a text')
      return { ...parsed, completionTokens: engine.count(text), preview: text, wire: { ...parsed.wire, text } }
    },
    render: (_result, parsed) => renderText(engine, task, parsed),
    stream: (_result, parsed) => streamText(engine, parsed.wire),
  }
}

async function parse(engine: Engine, input: RouteInput): Promise<Parsed> {
  const invalid = (message: string): Error => engine.badInput(message, { param: 'file' })
  const form = await engine.readForm(input)
  const file = form.get('file')
  if (file === null || typeof file === 'string') throw invalid("Missing required parameter: 'file'.")
  const field = (name: string): string | undefined => {
    const value = form.get(name)
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  const model = field('model') ?? input.defaultModel ?? 'whisper-1'
  const duration = Math.max(1, file.size / bytesPerSecond)
  return {
    op: 'own',
    mode: 'transcription',
    model,
    stream: field('stream') === 'true',
    bodyLine: `multipart: file=${file.name.slice(0, 200)} (${file.size} bytes), model=${model.slice(0, 200)}`,
    promptTokens: Math.ceil(duration) * tokensPerSecond,
    completionTokens: engine.count(fixedText),
    preview: fixedText,
    wire: {
      text: fixedText,
      format: field('response_format') ?? 'json',
      language: field('language') ?? 'english',
      duration,
      withWords: form.getAll('timestamp_granularities[]').includes('word'),
    },
  }
}

function renderText(engine: Engine, task: Task, { wire }: Parsed): { body: string | object; contentType?: string } {
  const { duration, text } = wire
  switch (wire.format) {
    case 'text':
      return { body: `${text}\n`, contentType: 'text/plain; charset=utf-8' }
    case 'srt':
      return {
        body: `1\n${clock(0, ',')} --> ${clock(duration, ',')}\n${text}\n\n`,
        contentType: 'text/plain; charset=utf-8',
      }
    case 'vtt':
      return {
        body: `WEBVTT\n\n${clock(0, '.')} --> ${clock(duration, '.')}\n${text}\n\n`,
        contentType: 'text/vtt; charset=utf-8',
      }
    case 'verbose_json':
      return { body: verbose(task, wire) }
    default:
      return {
        body: task === 'translations' ? { text } : { text, usage: { type: 'duration', seconds: Math.ceil(duration) } },
      }
  }
}

/** A time in a subtitle file: `00:00:01,500`. */
function clock(seconds: number, mark: string): string {
  const ms = Math.round(seconds * 1000)
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0')
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1000) % 60)}${mark}${String(ms % 1000).padStart(3, '0')}`
}

function verbose(task: Task, { text, duration, language, withWords }: AudioWire): object {
  const words = text.split(' ')
  const step = duration / words.length
  const round = (value: number): number => Math.round(value * 1000) / 1000
  return {
    task: task === 'translations' ? 'translate' : 'transcribe',
    language: task === 'translations' ? 'english' : language,
    duration,
    text,
    segments: [
      {
        id: 0,
        seek: 0,
        start: 0,
        end: duration,
        text,
        tokens: [],
        temperature: 0,
        avg_logprob: -0.2,
        compression_ratio: 1.2,
        no_speech_prob: 0.01,
      },
    ],
    ...(withWords
      ? {
          words: words.map((word, i) => ({
            word: word.replace('.', ''),
            start: round(i * step),
            end: round((i + 1) * step),
          })),
        }
      : {}),
    ...(task === 'translations' ? {} : { usage: { type: 'duration', seconds: Math.ceil(duration) } }),
  }
}

function* streamText(engine: Engine, { text, duration }: AudioWire): Iterable<StreamEvent> {
  const pieces = engine.pieces(text)
  for (const piece of pieces) yield { data: { type: 'transcript.text.delta', delta: piece }, paced: true }
  const input = Math.ceil(duration) * tokensPerSecond
  yield {
    data: {
      type: 'transcript.text.done',
      text,
      usage: {
        type: 'tokens',
        input_tokens: input,
        input_token_details: { audio_tokens: input, text_tokens: 0 },
        output_tokens: pieces.length,
        total_tokens: input + pieces.length,
      },
    },
  }
  yield { data: '[DONE]' }
}
