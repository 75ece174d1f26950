/** `GET /v1/models`, `POST /v1/tokenize` and `POST /v1/check-api-key`. */
import type { Engine, HandlerRoute, LlmRoute, ModelInfo, ModelsParsed, RouteInput } from '../llm/types.ts'
import { describePost } from './describe.ts'

export const models: ModelInfo[] = [
  { id: 'svc-command' },
  { id: 'command-a-03-2025' },
  { id: 'command-r-plus-08-2024' },
  { id: 'svc-echo' },
  { id: 'svc-scripted' },
  { id: 'svc-random' },
  { id: 'svc-embed', kind: 'embed' },
  { id: 'embed-v4.0', kind: 'embed' },
  { id: 'svc-rerank', kind: 'rerank' },
  { id: 'rerank-v3.5', kind: 'rerank' },
]

const endpoints: Readonly<Record<string, string[]>> = { embed: ['embed'], rerank: ['rerank'] }

interface Page {
  size: number
  start: number
  /** Only models for this endpoint. */
  endpoint: string | null
}

const defaultPageSize = 20
const maxPageSize = 1000

export function listModels(engine: Engine): LlmRoute<ModelsParsed<Page>> {
  return {
    method: 'GET',
    path: '/v1/models',
    op: 'models',
    describe: {
      summary: 'list models',
      parameters: [
        {
          name: 'page_size',
          in: 'query',
          description: 'Models per page; default 20',
          schema: { type: 'integer', minimum: 1, maximum: maxPageSize },
        },
        {
          name: 'page_token',
          in: 'query',
          description: 'next_page_token of the previous page',
          schema: { type: 'string' },
        },
        {
          name: 'endpoint',
          in: 'query',
          description: 'List only the models for this endpoint',
          schema: { enum: ['chat', 'embed', 'rerank'] },
        },
      ],
      examples: [
        { name: 'All models', path: '/ai/cohere/v1/models', expectStatus: 200 },
        { name: 'A page of three', path: '/ai/cohere/v1/models?page_size=3', expectStatus: 200 },
      ],
    },
    parse: input => ({ op: 'models', wire: readPage(engine, input) }),
    render(result, { wire }) {
      const shown = result.models
        .map(show)
        .filter(model => wire.endpoint === null || model.endpoints.includes(wire.endpoint))
      const { items, nextToken } = engine.cutPage(shown, wire.start, wire.size)
      return { body: { models: items, ...(nextToken === null ? {} : { next_page_token: nextToken }) } }
    },
  }
}

function show({ id, kind = 'chat', context_window }: ModelInfo) {
  return {
    name: id,
    endpoints: endpoints[kind] ?? ['chat'],
    finetuned: false,
    context_length: context_window ?? 128_000,
    is_deprecated: false,
  }
}

function readPage(engine: Engine, { query }: RouteInput): Page {
  const size = Number(query.get('page_size') ?? defaultPageSize)
  if (!Number.isInteger(size) || size < 1 || size > maxPageSize)
    throw engine.badInput(`invalid request: page_size must be an integer from 1 to ${maxPageSize}`)
  const token = query.get('page_token') ?? ''
  const start = token === '' ? 0 : engine.pageStart(token)
  if (start === null) throw engine.badInput('invalid request: page_token is invalid')
  return { size, start, endpoint: query.get('endpoint') || null }
}

const maxTokenIds = 50_000
const maxCharacters = 65_536

/** Token ids are invented, but constant for each piece. */
export function tokenize(engine: Engine): HandlerRoute {
  return {
    method: 'POST',
    path: '/v1/tokenize',
    op: 'other',
    describe: describePost('/v1/tokenize', 'tokenize text', [
      { name: 'A text', body: { model: 'svc-command', text: 'hello world' } },
    ]),
    handle(input) {
      const body = input.json()
      const text = body.text
      if (typeof text !== 'string') throw engine.badInput('invalid request: text is required')
      if (text.length > maxCharacters)
        throw engine.badInput(`invalid request: text must have at most ${maxCharacters} characters`)
      const pieces = engine.pieces(text)
      return {
        body: {
          tokens: pieces.map(piece => Number.parseInt(engine.digest('token', piece).slice(0, 8), 16) % maxTokenIds),
          token_strings: pieces,
          meta: { api_version: { version: '1' } },
        },
      }
    },
  }
}

export function checkApiKey(engine: Engine): HandlerRoute {
  return {
    method: 'POST',
    path: '/v1/check-api-key',
    op: 'other',
    describe: {
      summary: 'check an API key',
      examples: [
        {
          name: 'A key',
          method: 'POST',
          path: '/ai/cohere/v1/check-api-key',
          headers: [{ name: 'Authorization', value: 'Bearer demo-key' }],
          expectStatus: 200,
        },
      ],
    },
    handle({ credential }) {
      if (credential === null) throw engine.badInput('no api key supplied', { kind: 'missing_credential' })
      return { body: { valid: true } }
    },
  }
}
