/** The Cohere provider. */
import { randomUUID } from 'node:crypto'
import type { Engine, ErrorKind, LlmProvider } from '../llm/types.ts'
import { checkApiKey, listModels, models, tokenize } from './account.ts'
import { chat, finishReasons } from './chat.ts'
import { chatV1 } from './chat-v1.ts'
import { embed } from './embed.ts'
import { rerank } from './rerank.ts'

const messages: Partial<Record<ErrorKind, string>> = {
  missing_credential: 'no api key supplied',
  invalid_credential: 'invalid api token',
  bad_request: 'invalid request: the body must be a JSON object',
  context_length: 'too many tokens: the request exceeds the context length of the model',
  rate_limit: 'Rate limit of this API key exceeded. Please wait and try again.',
}

export function createProvider(engine: Engine): LlmProvider {
  return {
    id: 'cohere',
    title: 'Cohere',
    basePath: '/ai/cohere',
    aliases: { '/ai/v1/rerank': '/v2/rerank' },
    order: 7,
    credentials: [{ source: 'bearer', scheme: 'Bearer' }],
    models,
    routes: [
      chat(engine),
      chatV1(engine),
      embed(engine, 'v2'),
      rerank(engine, 'v2'),
      embed(engine, 'v1'),
      rerank(engine, 'v1'),
      tokenize(engine),
      checkApiKey(engine),
      listModels(engine),
    ],
    error: (_kind, { status, message }) => ({ status, body: { id: randomUUID(), message } }),
    messages,
    finishReasons,
  }
}
