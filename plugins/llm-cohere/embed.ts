/** `POST /v2/embed` and `POST /v1/embed`: embeddings in several number formats. */
import { randomUUID } from 'node:crypto'
import { JsonList } from 'svc/toolkit'
import type { EmbedParsed, Engine, LlmRoute, RouteInput } from '../llm/types.ts'
import { describePost } from './describe.ts'

interface EmbedWire {
  texts: string[]
  /** Empty: plain floats, the original format. */
  types: string[]
}

const defaultDimensions = 1024
const names = { input: 'texts', dimensions: 'output_dimension' }

/** Converts a vector of length 1 to the number formats that clients can request. */
const encodings: Readonly<Record<string, (vector: readonly number[]) => number[] | string>> = {
  float: vector => [...vector],
  int8: vector => vector.map(value => Math.round(value * 127)),
  uint8: vector => vector.map(value => Math.round(127.5 * (value + 1))),
  binary: vector => packSigns(vector).map(byte => byte - 128),
  ubinary: packSigns,
  base64(vector) {
    const bytes = Buffer.alloc(vector.length * 4)
    vector.forEach((value, index) => bytes.writeFloatLE(value, index * 4))
    return bytes.toString('base64')
  },
}

/** One bit per sign, eight per byte, the first in the highest bit. */
function packSigns(vector: readonly number[]): number[] {
  return Array.from({ length: Math.floor(vector.length / 8) }, (_, at) => {
    let byte = 0
    for (let bit = 0; bit < 8; bit++) if ((vector[at * 8 + bit] ?? 0) > 0) byte |= 128 >> bit
    return byte
  })
}

export function embed(engine: Engine, version: 'v1' | 'v2'): LlmRoute<EmbedParsed<EmbedWire>> {
  return {
    method: 'POST',
    path: `/${version}/embed`,
    op: 'embed',
    describe: describePost(`/${version}/embed`, `create embeddings (${version})`, [
      {
        name: 'One text',
        body: {
          model: 'svc-embed',
          texts: ['hello world'],
          input_type: 'search_document',
          embedding_types: ['float', 'int8'],
          output_dimension: 8,
        },
      },
    ]),
    parse: input => parse(engine, input, version),
    render({ vectors, promptTokens }, { wire }) {
      const meta = {
        api_version: { version: version === 'v2' ? '2' : '1' },
        billed_units: { input_tokens: promptTokens },
      }
      const common = { id: randomUUID(), texts: wire.texts, meta }
      if (wire.types.length === 0)
        return { body: { response_type: 'embeddings_floats', ...common, embeddings: vectors } }
      const embeddings = Object.fromEntries(
        wire.types.map(type => [
          type,
          new JsonList(function* () {
            for (const vector of vectors) yield encodings[type]?.(vector)
          }),
        ]),
      )
      return { body: { response_type: 'embeddings_by_type', ...common, embeddings } }
    },
  }
}

function parse(engine: Engine, input: RouteInput, version: 'v1' | 'v2'): EmbedParsed<EmbedWire> {
  const { json } = engine
  const body = input.json()
  const texts = readTexts(engine, body)
  if (texts.length === 0) throw engine.badInput('invalid request: texts must be a list with at least one string')
  const given = json.listOf(body.embedding_types)
  const types = given.length === 0 && version === 'v2' ? ['float'] : given
  const unknown = types.find(type => typeof type !== 'string' || !Object.hasOwn(encodings, type))
  if (unknown !== undefined)
    throw engine.badInput(
      `invalid request: unknown embedding type ${JSON.stringify(unknown)}; expected one of ${Object.keys(encodings).join(', ')}`,
    )
  return {
    op: 'embed',
    model: json.textOf(body.model) ?? input.defaultModel ?? 'svc-embed',
    inputs: withErrorPrefix(engine, () => engine.embeddingInputs(texts, input.limits, names)),
    dimensions: withErrorPrefix(engine, () =>
      engine.vectorSize(body.output_dimension, defaultDimensions, input.limits, names),
    ),
    wire: { texts, types: types as string[] },
  }
}

/** Adds the prefix that error messages of this API have. */
function withErrorPrefix<T>(engine: Engine, check: () => T): T {
  try {
    return check()
  } catch (error) {
    throw engine.badInput(`invalid request: ${error instanceof Error ? error.message : 'texts'}`)
  }
}

/** `texts`, or the texts in `inputs`; an image is replaced by its position. */
function readTexts({ json }: Engine, body: Record<string, unknown>): string[] {
  if (Array.isArray(body.texts)) return body.texts.filter((text): text is string => typeof text === 'string')
  return json.listOf(body.inputs).map(item =>
    json
      .listOf(json.own(item, 'content'))
      .map(part => json.textOf(json.own(part, 'text')) ?? 'image')
      .join('\n'),
  )
}
