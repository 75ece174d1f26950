/** `POST /tokenize`, as servers of open models have it: the tokens of a prompt, as its usage counts them. */
import type { Engine, LlmRoute, OwnParsed, RouteInput } from '../llm/types.ts'
import { contextError } from './context-error.ts'
import { readMessages } from './messages.ts'
import { readTooling } from './tools.ts'

interface TokenizeWire {
  pieces: string[]
  maxLength: number
  showsTexts: boolean
}
type Parsed = OwnParsed<TokenizeWire>

/** `max_model_len` of a model without a context window. */
const DEFAULT_WINDOW = 131_072
const IMAGE_PIECE = '<image>'

export function tokenize(engine: Engine, base: string): LlmRoute<Parsed> {
  const example = (name: string, body: object): NonNullable<LlmRoute['describe']['examples']>[number] => ({
    name,
    method: 'POST',
    path: `${base}/tokenize`,
    body: JSON.stringify(body),
    bodyType: 'json',
    expectStatus: 200,
  })
  return {
    method: 'POST',
    path: '/tokenize',
    op: 'other',
    describe: {
      summary: 'tokenize a prompt',
      requestBody: { required: true, content: { 'application/json': { type: 'object' } } },
      examples: [
        example('A text', { model: 'svc-gpt', prompt: 'hello world', return_token_strs: true }),
        example('Messages', { model: 'svc-gpt', messages: [{ role: 'user', content: 'hello' }] }),
      ],
    },
    parse: input => parse(engine, input),
    render: (_result, { wire: { pieces, maxLength, showsTexts } }) => ({
      body: {
        count: pieces.length,
        max_model_len: maxLength,
        tokens: pieces.map(tokenId),
        token_strs: showsTexts ? pieces : null,
      },
    }),
  }
}

function parse(engine: Engine, input: RouteInput): Parsed {
  const { json } = engine
  const body = input.json()
  const model = json.textOf(body.model) ?? input.defaultModel ?? 'svc-gpt'
  const maxLength =
    input.models?.find(({ id }) => id === model)?.context_window ?? input.contextWindow ?? DEFAULT_WINDOW
  const pieces = piecesOf(engine, body, model)
  if (pieces.length > maxLength) throw tooLong(engine, model, pieces.length, maxLength)
  return {
    op: 'own',
    model,
    promptTokens: 0,
    completionTokens: 0,
    wire: { pieces, maxLength, showsTexts: body.return_token_strs === true },
  }
}

/** As many as the usage of a request with this prompt counts. */
function piecesOf(engine: Engine, body: Record<string, unknown>, model: string): string[] {
  if (typeof body.prompt === 'string') return engine.pieces(body.prompt)
  if (body.messages === undefined)
    throw engine.badInput("Missing required parameter: 'prompt' or 'messages'.", {
      param: 'prompt',
      code: 'missing_required_parameter',
    })
  const { system, messages } = readMessages(engine, body.messages)
  const request = {
    model,
    system,
    messages,
    ...readTooling(engine, { tools: body.tools, choice: undefined, isNested: true }),
    format: { type: 'none' as const },
    stop: [],
    n: 1,
  }
  const tools = request.tools.map(tool => `${tool.name} ${tool.description} ${JSON.stringify(tool.schema) ?? ''}`)
  const texts = [engine.render(request), ...tools].flatMap(text => engine.pieces(text))
  const others = Math.max(0, engine.promptTokens(request) - texts.length)
  return [...texts, ...Array.from({ length: others }, () => IMAGE_PIECE)]
}

function tooLong(engine: Engine, model: string, promptTokens: number, window: number): Error {
  const facts = { model, promptTokens, window, maxTokens: 0, requestedTokens: 0, outputLimit: null, isShortened: false }
  const { message, ...details } = contextError(facts) as { message: string }
  return engine.badInput(message, details)
}

const FNV_OFFSET = 0x811c9dc5
const FNV_PRIME = 0x01000193

/** The first 31 bits of the FNV-1a hash of a piece. */
function tokenId(piece: string): number {
  let hash = FNV_OFFSET
  for (const byte of Buffer.from(piece)) hash = Math.imul(hash ^ byte, FNV_PRIME)
  return hash >>> 1
}
