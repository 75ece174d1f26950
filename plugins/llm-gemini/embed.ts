/** Embeddings: `:embedContent` and `:batchEmbedContents`, and `:predict` on Vertex AI. */
import type { EmbedParsed, Engine, LlmRoute, RouteInput } from '../llm/types.ts'
import { describeAction, modelOf } from './actions.ts'
import { field } from './fields.ts'
import { readParts } from './request.ts'

const contentType = 'application/json; charset=UTF-8'
const smallDimensions = 768
const largeDimensions = 3072
const names = { input: 'requests', dimensions: 'outputDimensionality' }
const content = { parts: [{ text: 'hello world' }] }

export function embedContent(engine: Engine): LlmRoute<EmbedParsed> {
  return {
    method: 'POST',
    path: '/v1beta/models/{model}:embedContent',
    op: 'embed',
    describe: describeAction('embedContent', 'create an embedding', { content, outputDimensionality: 8 }),
    parse(input) {
      const body = input.json()
      return parsedOf(engine, input, [textOfContent(engine, body, 'content')], dimensionsOf(engine, body))
    },
    render: ({ vectors }) => ({ body: { embedding: { values: vectors[0] ?? [] } }, contentType }),
  }
}

export function batchEmbedContents(engine: Engine): LlmRoute<EmbedParsed> {
  const { json } = engine
  return {
    method: 'POST',
    path: '/v1beta/models/{model}:batchEmbedContents',
    op: 'embed',
    describe: describeAction('batchEmbedContents', 'create a batch of embeddings', {
      requests: [{ model: 'models/gemini-embedding-001', content, outputDimensionality: 8 }],
    }),
    parse(input) {
      const requests = json.listOf(input.json().requests)
      if (requests.length === 0)
        throw engine.badInput('* BatchEmbedContentsRequest.requests: requests is not specified')
      if (requests.length > input.limits.inputs)
        throw engine.badInput(
          `* BatchEmbedContentsRequest.requests: at most ${input.limits.inputs} requests are allowed in one batch`,
        )
      return parsedOf(
        engine,
        input,
        requests.map((request, index) => textOfContent(engine, request, `requests[${index}].content`)),
        dimensionsOf(engine, requests[0]),
      )
    },
    render: ({ vectors }) => ({ body: { embeddings: vectors.map(values => ({ values })) }, contentType }),
  }
}

export function predict(engine: Engine): LlmRoute<EmbedParsed> {
  const { json } = engine
  return {
    method: 'POST',
    path: '/v1beta/models/{model}:predict',
    op: 'embed',
    describe: describeAction(
      'predict',
      'create embeddings (Vertex AI)',
      { instances: [{ content: 'hello world' }], parameters: { outputDimensionality: 8 } },
      '',
      'gemini-embedding-001',
    ),
    parse(input) {
      const body = input.json()
      const instances = json.listOf(body.instances)
      if (instances.length === 0) throw engine.badInput('* PredictRequest.instances: instances is not specified')
      if (instances.length > input.limits.inputs)
        throw engine.badInput(
          `* PredictRequest.instances: at most ${input.limits.inputs} instances are allowed in one request`,
        )
      const texts = instances.map((instance, index) => {
        const text = json.textOf(json.own(instance, 'content'))
        if (text === undefined) throw engine.badInput(`* instances[${index}].content: content is not specified`)
        return text
      })
      return parsedOf(engine, input, texts, field(engine, body.parameters, 'outputDimensionality'))
    },
    render: ({ vectors, tokens }) => ({
      body: {
        predictions: vectors.map((values, index) => ({
          embeddings: { values, statistics: { truncated: false, token_count: tokens[index] } },
        })),
      },
      contentType,
    }),
  }
}

function dimensionsOf(engine: Engine, request: unknown): unknown {
  return (
    field(engine, request, 'outputDimensionality') ??
    field(engine, field(engine, request, 'embedContentConfig'), 'outputDimensionality')
  )
}

function textOfContent(engine: Engine, request: unknown, path: string): string {
  const given = engine.json.own(request, 'content')
  const text =
    typeof given === 'string' ? given : engine.textOfParts(readParts(engine, engine.json.own(given, 'parts')))
  if (text === '') throw engine.badInput(`* ${path}: content is not specified`)
  return text
}

function parsedOf(engine: Engine, input: RouteInput, inputs: string[], dimensions: unknown): EmbedParsed {
  const model = modelOf(input)
  const fallback = model.startsWith('gemini-embedding') ? largeDimensions : smallDimensions
  return {
    op: 'embed',
    model,
    inputs,
    dimensions: engine.vectorSize(dimensions, fallback, input.limits, names),
    wire: undefined,
  }
}
