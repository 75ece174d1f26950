/** The Cohere provider. */
import { randomUUID } from 'node:crypto'
import type {
  Dimension,
  Engine,
  ErrorKind,
  LlmProvider,
  MountedFormat,
  Remaining,
  ProviderRoute,
} from '../llm/types.ts'
import type { OpenAiWire } from '../llm-openai/types.ts'
import { checkApiKey, listModels, models, tokenize } from './account.ts'
import { chat, finishReasons } from './chat.ts'
import { chatV1 } from './chat-v1.ts'
import { embed } from './embed.ts'
import { rerank } from './rerank.ts'
import { withReplies } from 'svc/toolkit'
import { REPLIES } from './replies.ts'

const messages: Partial<Record<ErrorKind, string>> = {
  missing_credential: 'no api key supplied',
  invalid_credential: 'invalid api token',
  bad_request: 'invalid request: the body must be a JSON object',
  context_length: 'too many tokens: the request exceeds the context length of the model',
  rate_limit: 'Rate limit of this API key exceeded. Please wait and try again.',
}

const units: Readonly<Record<Dimension, string>> = {
  rpm: 'API calls / minute',
  rpd: 'API calls / day',
  tpm: 'tokens / minute',
  tpd: 'tokens / day',
  itpm: 'input tokens / minute',
  otpm: 'output tokens / minute',
}
const EPSILON = 1e-6

function trialHeaders({ limit, remaining }: Remaining): Record<string, string> {
  return {
    'x-trial-endpoint-call-limit': String(limit),
    'x-trial-endpoint-call-remaining': String(Math.max(0, Math.floor(remaining + EPSILON))),
  }
}

/** The OpenAI format needs the plugin of that format. */
export function createProvider(engine: Engine, openai?: OpenAiWire): LlmProvider {
  return {
    id: 'cohere',
    telemetry: { sampling: ({ temperature, p }) => ({ temperature, topP: p }) },
    title: 'Cohere',
    basePath: '/ai/cohere',
    aliases: { '/ai/v1/rerank': '/v2/rerank' },
    order: 7,
    credentials: [{ source: 'bearer', scheme: 'Bearer' }],
    models,
    routes: withReplies<ProviderRoute>(
      [
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
      REPLIES,
    ),
    mounts: openai === undefined ? [] : [openAiFormat(openai)],
    error: (_kind, { status, message }) => ({ status, body: { id: randomUUID(), message } }),
    headers: ({ limits }) => (limits?.rpm === undefined ? {} : trialHeaders(limits.rpm)),
    limited: ({ dimension, limit }, { status }) => ({
      status,
      body: {
        id: randomUUID(),
        message: `You are using a Trial key, which is limited to ${limit} ${units[dimension]}.`,
      },
    }),
    messages,
    contextError: ({ promptTokens, window }) =>
      window !== null && promptTokens > window
        ? {
            message: `too many tokens: total number of tokens in the prompt cannot exceed ${window} - received ${promptTokens}.`,
          }
        : 'cut',
    finishReasons,
  }
}

/** The compatibility API: the form of complete errors is the one of this API. */
function openAiFormat({ error: openAiError, mount }: OpenAiWire): MountedFormat {
  const {
    error: _error,
    limited: _limited,
    ...format
  } = mount('/compatibility/v1', ['chat', 'embeddings'], {
    exampleModels: { 'svc-gpt': 'svc-command' },
    defaultModel: 'svc-command',
    streamError: facts => ({ data: openAiError('server_error', facts) }),
  })
  return format
}
