/** `POST /images/generations`, `/images/edits` and `/images/variations`. */
import type {
  Engine,
  LlmRoute,
  LlmRouteDescription,
  OwnParsed,
  RenderContext,
  RouteInput,
  StreamEvent,
} from '../../llm/types.ts'
import { clamp } from '../format/parameters.ts'
import { describePost } from '../format/describe.ts'
import { picture } from './picture.ts'

export type ImageRouteName = 'images' | 'imageEdits' | 'imageVariations'

const QUALITIES = ['low', 'medium', 'high']
const CHOICES: readonly (readonly [string, readonly string[]])[] = [
  ['response_format', ['url', 'b64_json']],
  ['quality', ['auto', ...QUALITIES, 'xhigh', 'max', 'standard', 'hd']],
  ['background', ['auto', 'transparent', 'opaque']],
]

interface ImageWire {
  prompt: string
  n: number
  /** The image in base64; null: the reply has URLs. */
  data: string | null
  size: string
  format: Format
  quality: string
  background: string
  imageTokens: number
  partialImages: number
}
type Parsed = OwnParsed<ImageWire>
type Format = 'png' | 'webp' | 'jpeg'

/** Image files of this server, for formats that are not made here; null: there is none. */
export type FixedImage = (format: Format) => Buffer | null

const FORMATS: readonly Format[] = ['png', 'webp', 'jpeg']
const MAX_SIDE = 4096
const MAX_IMAGES = 16
const MAX_PARTIAL = 3
const TOKENS_OF_IMAGE = 85

/** The fields of a request, from JSON or from a form. */
type Fields = (name: string) => unknown

export function imageRoutes(engine: Engine, fixedImage: FixedImage): Record<ImageRouteName, LlmRoute<Parsed>> {
  const common = { method: 'POST', op: 'image', framing: 'sse', render } as const
  return {
    images: {
      ...common,
      path: '/images/generations',
      describe: describePost('/images/generations', 'generate images', [
        { name: 'One image', body: { model: 'gpt-image-1', prompt: 'a gateway at dawn' } },
        {
          name: 'Stream',
          body: { model: 'gpt-image-1', prompt: 'a gateway at dawn', stream: true, partial_images: 1 },
        },
      ]),
      parse(input) {
        const body = input.json()
        return read(engine, fixedImage, input, { fields: name => body[name], images: 0, isPromptRequired: true })
      },
      stream: (_result, parsed, context) => streamImage('image_generation', parsed, context),
    },
    imageEdits: {
      ...common,
      path: '/images/edits',
      describe: describeForm('edits', 'edit images', { prompt: 'a gateway at dusk' }),
      parse: input => readForm(engine, fixedImage, input, { isPromptRequired: true }),
      stream: (_result, parsed, context) => streamImage('image_edit', parsed, context),
    },
    imageVariations: {
      ...common,
      path: '/images/variations',
      describe: describeForm('variations', 'make variations of an image', {}),
      parse: input => readForm(engine, fixedImage, input, { isPromptRequired: false }),
    },
  }
}

function describeForm(name: string, summary: string, fields: Record<string, string>): LlmRouteDescription {
  const parts = [
    ...Object.entries(fields).map(
      ([field, value]) => `Content-Disposition: form-data; name="${field}"\r\n\r\n${value}`,
    ),
    'Content-Disposition: form-data; name="image"; filename="a.png"\r\nContent-Type: image/png\r\n\r\nPNG',
  ]
  return {
    summary,
    requestBody: {
      required: true,
      content: {
        'multipart/form-data': {
          type: 'object',
          properties: { image: { type: 'string', format: 'binary' }, prompt: { type: 'string' } },
          required: ['image', ...Object.keys(fields)],
        },
      },
    },
    examples: [
      {
        name: 'A few bytes',
        method: 'POST',
        path: `/ai/openai/v1/images/${name}`,
        headers: [{ name: 'Content-Type', value: 'multipart/form-data; boundary=svc' }],
        body: `${parts.map(part => `--svc\r\n${part}\r\n`).join('')}--svc--\r\n`,
        bodyType: null,
        expectStatus: 200,
      },
    ],
  }
}

async function readForm(
  engine: Engine,
  fixedImage: FixedImage,
  input: RouteInput,
  { isPromptRequired }: { isPromptRequired: boolean },
): Promise<Parsed> {
  const form = await engine.readForm(input)
  const files = [...form.getAll('image'), ...form.getAll('image[]')].filter(value => typeof value !== 'string')
  if (files.length === 0) throw missing(engine, 'image')
  if (files.length > MAX_IMAGES)
    throw engine.badInput(`Invalid 'image': expected at most ${MAX_IMAGES} images, but got ${files.length}.`, {
      param: 'image',
      code: 'invalid_value',
    })
  const fields: Fields = name => {
    const value = form.get(name)
    if (typeof value !== 'string' || value === '') return undefined
    if (name === 'n' || name === 'partial_images') return Number(value)
    return name === 'stream' && /^(?:true|false)$/.test(value) ? value === 'true' : value
  }
  const parsed = read(engine, fixedImage, input, { fields, images: files.length, isPromptRequired })
  const bytes = files.reduce((sum, file) => sum + file.size, 0)
  return {
    ...parsed,
    bodyLine: `multipart: ${files.length} images (${bytes} bytes), prompt=${parsed.wire.prompt.slice(0, 200)}`,
  }
}

/** Asks for a fixed image only where the picture cannot be made here. */
function read(
  engine: Engine,
  fixedImage: FixedImage,
  input: RouteInput,
  { fields, images, isPromptRequired }: { fields: Fields; images: number; isPromptRequired: boolean },
): Parsed {
  const { json } = engine
  const prompt = json.textOf(fields('prompt'))
  if (prompt === undefined && isPromptRequired) throw missing(engine, 'prompt')
  const model = json.textOf(fields('model')) ?? input.defaultModel ?? 'dall-e-2'
  for (const [name, values] of CHOICES) {
    const value = fields(name)
    if (value != null && !values.some(known => known === value))
      throw invalid(engine, name, `one of ${values.join(', ')}`)
  }
  const asked = fields('response_format')
  const stream = fields('stream')
  if (stream != null && typeof stream !== 'boolean') throw invalid(engine, 'stream', 'true or false')
  const isStream = stream === true
  const isData = isStream || asked === 'b64_json' || (asked !== 'url' && /^(?:chat)?gpt-image/.test(model))
  const size = sizeOf(engine, fields('size'))
  const format = formatOf(engine, fields('output_format'))
  const imageTokens = images * TOKENS_OF_IMAGE
  const parsedWith = (bytes: Buffer): Parsed => {
    const n = isStream ? 1 : clamp(fields('n'), 1, input.limits.images)
    const data = isData ? bytes.toString('base64') : null
    return {
      op: 'own',
      mode: 'image',
      model,
      ...(isStream ? { stream: true } : {}),
      prompt: prompt ?? '',
      promptTokens: engine.count(prompt ?? '') + imageTokens,
      completionTokens: 0,
      replyBytes: n * ((prompt ?? '').length + (data ?? '').length),
      wire: {
        prompt: prompt ?? '',
        n,
        data,
        size: `${size.width}x${size.height}`,
        format,
        quality: json.textOf(fields('quality')) ?? 'auto',
        background: json.textOf(fields('background')) ?? 'auto',
        imageTokens,
        partialImages: partialImagesOf(engine, fields('partial_images')),
      },
    }
  }
  if (!isData || format === 'png') return parsedWith(picture(size, engine.digest('image', prompt ?? '').slice(0, 6)))
  const bytes = fixedImage(format)
  if (bytes !== null) return parsedWith(bytes)
  throw engine.badInput(`Unsupported value for 'output_format': this server has no image of the type '${format}'.`, {
    param: 'output_format',
    code: 'unsupported_value',
  })
}

function missing(engine: Engine, param: string): Error {
  return engine.badInput(`Missing required parameter: '${param}'.`, { param, code: 'missing_required_parameter' })
}

function invalid(engine: Engine, param: string, expected: string): Error {
  return engine.badInput(`Invalid value for '${param}': expected ${expected}.`, { param, code: 'invalid_value' })
}

function sizeOf(engine: Engine, given: unknown): { width: number; height: number } {
  if (given == null || given === 'auto') return { width: 1024, height: 1024 }
  const match = typeof given === 'string' ? /^(\d{1,4})x(\d{1,4})$/.exec(given) : null
  const [width, height] = [Number(match?.[1] ?? 0), Number(match?.[2] ?? 0)]
  if (Math.min(width, height) < 1 || Math.max(width, height) > MAX_SIDE)
    throw invalid(engine, 'size', `'auto' or a size such as '1024x1024', up to ${MAX_SIDE}x${MAX_SIDE}`)
  return { width, height }
}

function formatOf(engine: Engine, given: unknown): Format {
  if (given == null) return 'png'
  const format = FORMATS.find(candidate => candidate === given)
  if (format === undefined) throw invalid(engine, 'output_format', `one of ${FORMATS.join(', ')}`)
  return format
}

function partialImagesOf(engine: Engine, given: unknown): number {
  if (given == null) return 0
  if (typeof given !== 'number' || !Number.isInteger(given) || given < 0 || given > MAX_PARTIAL)
    throw invalid(engine, 'partial_images', `an integer from 0 to ${MAX_PARTIAL}`)
  return given
}

function render(_result: unknown, { wire, promptTokens }: Parsed, context: RenderContext): { body: object } {
  const image = wire.data === null ? { url: context.url(`/image/${wire.format}`) } : { b64_json: wire.data }
  return {
    body: {
      created: context.created,
      ...echoed(wire),
      data: Array.from({ length: wire.n }, () => ({ ...image, revised_prompt: wire.prompt })),
      usage: usageOf(wire, promptTokens),
    },
  }
}

/** What was used. `auto` is a request, not a quality or a background. */
function echoed({ size, quality, background, format }: ImageWire): object {
  return {
    size,
    quality: QUALITIES.includes(quality) ? quality : 'high',
    background: background === 'transparent' ? 'transparent' : 'opaque',
    output_format: format,
  }
}

function usageOf({ imageTokens }: ImageWire, promptTokens: number): object {
  return {
    input_tokens: promptTokens,
    output_tokens: 0,
    total_tokens: promptTokens,
    input_tokens_details: { text_tokens: promptTokens - imageTokens, image_tokens: imageTokens },
  }
}

function* streamImage(
  name: 'image_generation' | 'image_edit',
  { wire, promptTokens }: Parsed,
  context: RenderContext,
): Iterable<StreamEvent> {
  const common = { b64_json: wire.data, created_at: context.created, ...echoed(wire) }
  for (let index = 0; index < wire.partialImages; index++) {
    const type = `${name}.partial_image`
    yield { event: type, data: { type, ...common, partial_image_index: index }, paced: true }
  }
  const type = `${name}.completed`
  yield { event: type, data: { type, ...common, usage: usageOf(wire, promptTokens) }, paced: true }
}
