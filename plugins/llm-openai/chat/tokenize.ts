/** `POST /tokenize`, as servers of open models have it: the tokens of a prompt, as its usage counts them. */
import { INTEGER, jsonReply, list, nullable, object, TEXT } from 'svc/toolkit'
import type { Engine, LlmRoute, OwnParsed, RouteInput, Tokenizer } from '../../llm/types.ts'
import { contextError } from '../format/context-error.ts'
import { modelLength } from '../format/parameters.ts'
import { readMessages } from '../format/messages.ts'
import { readTooling } from '../format/tools.ts'

interface TokenizeWire {
  pieces: string[]
  ids: number[]
  maxLength: number
  showsTexts: boolean
}
type Parsed = OwnParsed<TokenizeWire>

/** `1,`: an id has two bytes at least. */
const TOKEN_BYTES = 2
/** Images, and what surrounds messages. */
const OTHER_PIECE = ''

const TOKENIZE_REPLY = jsonReply(
  object({ count: INTEGER, max_model_len: INTEGER, tokens: list(INTEGER) }, { token_strs: nullable(list(TEXT)) }),
  'OpenAiTokens',
)

export function tokenize(engine: Engine, base: string): LlmRoute<Parsed> {
  const example = (name: string, body: object): LlmRoute['describe']['examples'][number] => ({
    name,
    method: 'POST',
    path: `${base}/tokenize`,
    json: body,
  })
  return {
    method: 'POST',
    path: '/tokenize',
    op: 'other',
    describe: {
      reply: TOKENIZE_REPLY,
      summary: 'tokenize a prompt',
      requestBody: { required: true, content: { 'application/json': { type: 'object' } } },
      examples: [
        example('A text', { model: 'svc-gpt', prompt: 'hello world', return_token_strs: true }),
        example('Messages', { model: 'svc-gpt', messages: [{ role: 'user', content: 'hello' }] }),
      ],
    },
    parse: input => parse(engine, input),
    render: (_result, { wire: { pieces, ids, maxLength, showsTexts } }) => ({
      body: {
        count: pieces.length,
        max_model_len: maxLength,
        tokens: ids,
        token_strs: showsTexts ? pieces : null,
      },
    }),
  }
}

function parse(engine: Engine, input: RouteInput): Parsed {
  const { json } = engine
  const body = input.json()
  const model = json.textOf(body.model) ?? input.defaultModel ?? 'svc-gpt'
  const maxLength = modelLength(input, model)
  const tokenizer = input.tokenizerOf?.(model) ?? engine.tokenizer
  const check = (count: number): void => {
    if (count > maxLength) throw tooLong(engine, model, count, maxLength)
  }
  const { pieces, ids } = tokensOf(engine, body, { model, tokenizer, check })
  return {
    op: 'own',
    model,
    promptTokens: 0,
    completionTokens: 0,
    replyBytes: pieces.length * TOKEN_BYTES,
    wire: { pieces, ids, maxLength, showsTexts: body.return_token_strs === true },
  }
}

/** As many as the usage of a request with this prompt counts. `check` throws if there are too many. */
function tokensOf(
  engine: Engine,
  body: Record<string, unknown>,
  { model, tokenizer, check }: { model: string; tokenizer: Tokenizer; check(count: number): void },
): { pieces: string[]; ids: number[] } {
  if (typeof body.prompt === 'string') {
    const prompt = engine.withoutDirectives(body.prompt)
    check(tokenizer.count(prompt))
    return { pieces: tokenizer.pieces(prompt), ids: tokenizer.ids(prompt) }
  }
  if (body.messages === undefined)
    throw engine.badInput("Missing required parameter: 'prompt' or 'messages'.", {
      param: 'prompt',
      code: 'missing_required_parameter',
    })
  const { system, messages } = readMessages(engine, body.messages)
  const request = engine.withoutDirectives({
    model,
    system,
    messages,
    ...readTooling(engine, { tools: body.tools, choice: undefined, isNested: true }),
    format: { type: 'none' as const },
    stop: [],
    n: 1,
    tokenizer,
  })
  const tools = request.tools.map(tool => `${tool.name} ${tool.description} ${JSON.stringify(tool.schema) ?? ''}`)
  const length = engine.promptTokens(request)
  check(length)
  const texts = [engine.render(request), ...tools]
  const filled = <T>(tokens: T[], other: T): T[] => [
    ...tokens.slice(0, length),
    ...Array.from({ length: Math.max(0, length - tokens.length) }, () => other),
  ]
  return {
    pieces: filled(texts.flatMap(tokenizer.pieces), OTHER_PIECE),
    ids: filled(texts.flatMap(tokenizer.ids), 0),
  }
}

function tooLong(engine: Engine, model: string, promptTokens: number, window: number): Error {
  const facts = { model, promptTokens, window, maxTokens: 0, requestedTokens: 0, outputLimit: null, isShortened: false }
  const { message, ...details } = contextError(facts) as { message: string }
  return engine.badInput(message, details)
}
