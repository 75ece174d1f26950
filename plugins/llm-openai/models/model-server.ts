/** `GET /health`, `GET /health/ready` and `GET /tokenizer_info`, as servers of open models have them. */
import { BOOLEAN, INTEGER, jsonReply, nullable, object, RECORD, TEXT, textReply } from 'svc/toolkit'
import type { Engine, HandlerRoute, RouteInput } from '../../llm/types.ts'
import { modelLength } from '../format/parameters.ts'

/** 200 without content, and without a credential: probes of load balancers have none. Faults and rules act on it. */
export function health(base: string, path: '/health' | '/health/ready' = '/health'): HandlerRoute {
  return {
    method: 'GET',
    path,
    op: 'other',
    needsNoCredential: true,
    describe: {
      summary: path === '/health' ? 'health of the model server' : 'whether the model server is ready',
      reply: textReply('text/plain'),
      responses: {
        200: { description: 'The server can answer; no content' },
        ...(path === '/health' ? {} : { 503: { description: 'It starts (`startup_ms`); no content' } }),
      },
      examples: [{ name: 'Healthy', path: `${base}${path}`, expectStatus: 200 }],
    },
    handle: ({ isStarting }) => ({
      ...(isStarting && path === '/health/ready' ? { status: 503 } : {}),
      body: '',
      contentType: 'text/plain; charset=utf-8',
    }),
  }
}

const TOKENIZER_REPLY = jsonReply(
  object({
    tokenizer_class: TEXT,
    model_max_length: INTEGER,
    added_tokens_decoder: RECORD,
    chat_template: nullable(TEXT),
    clean_up_tokenization_spaces: BOOLEAN,
  }),
  'OpenAiTokenizer',
)

/** The tokenizer of the default model, or of `model` in the query, with the length that `/tokenize` allows. */
export function tokenizerInfo(engine: Engine, base: string): HandlerRoute {
  return {
    method: 'GET',
    path: '/tokenizer_info',
    op: 'other',
    describe: {
      summary: 'get the tokenizer',
      reply: TOKENIZER_REPLY,
      parameters: [{ name: 'model', in: 'query', description: 'A model', schema: { type: 'string' } }],
      examples: [{ name: 'Of the default model', path: `${base}/tokenizer_info`, expectStatus: 200 }],
    },
    handle: input => ({ body: infoOf(engine, input) }),
  }
}

function infoOf(engine: Engine, input: RouteInput): object {
  const model = input.query.get('model') || input.defaultModel || 'svc-gpt'
  const { name } = input.tokenizerOf?.(model) ?? engine.tokenizer
  return {
    tokenizer_class: name,
    model_max_length: modelLength(input, model),
    added_tokens_decoder: {},
    chat_template: null,
    clean_up_tokenization_spaces: false,
  }
}
