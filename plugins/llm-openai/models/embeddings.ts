/** `POST /embeddings`. */
import { JsonList } from 'svc/toolkit'
import type { EmbedParsed, Engine, LlmRoute, RouteInput } from '../../llm/types.ts'
import { describePost } from '../format/describe.ts'

const smallDimensions = 1536
const largeDimensions = 3072
const names = { input: 'input', dimensions: 'dimensions' }

interface EmbeddingsWire {
  isBase64: boolean
  /** Mistral's lists of embeddings have an id, which its clients require. */
  hasId: boolean
}

const ID_DIGITS = 32

export function embeddings(engine: Engine): LlmRoute<EmbedParsed<EmbeddingsWire>> {
  const { json } = engine
  return {
    method: 'POST',
    path: '/embeddings',
    op: 'embed',
    describe: describePost('/embeddings', 'create embeddings', [
      { name: 'One text', body: { model: 'svc-embed', input: 'hello world', dimensions: 8 } },
    ]),
    parse(input) {
      const body = input.json()
      const model = json.textOf(body.model) ?? input.defaultModel ?? 'svc-embed'
      return {
        op: 'embed',
        model,
        inputs: engine.embeddingInputs(body.input, input.limits, names),
        dimensions: engine.vectorSize(
          body.dimensions,
          model.includes('large') ? largeDimensions : smallDimensions,
          input.limits,
          names,
        ),
        wire: { isBase64: body.encoding_format === 'base64', hasId: isOfMistral(input) },
      }
    },
    render: ({ vectors, promptTokens }, { model, wire }) => ({
      body: {
        ...(wire.hasId ? { id: engine.randomId(ID_DIGITS) } : {}),
        object: 'list',
        data: new JsonList(function* () {
          for (const [index, vector] of vectors.entries())
            yield { object: 'embedding', index, embedding: wire.isBase64 ? floatsAsBase64(vector) : vector }
        }),
        model,
        usage: { prompt_tokens: promptTokens, total_tokens: promptTokens },
      },
    }),
  }
}

/** Whether the provider has Mistral's name, or its client asks. */
function isOfMistral({ provider, headers }: RouteInput): boolean {
  return /mistral/i.test(provider) || /mistral/i.test(String(headers['user-agent']).slice(0, 500))
}

/** Little-endian float32, which the Node SDK requests by default. */
function floatsAsBase64(vector: readonly number[]): string {
  const bytes = Buffer.allocUnsafe(vector.length * 4)
  vector.forEach((value, index) => bytes.writeFloatLE(value, index * 4))
  return bytes.toString('base64')
}
