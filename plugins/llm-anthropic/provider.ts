/** The Anthropic provider. */
import type { LlmProvider, LlmRoute, MountedFormat, Providers, ProviderRoute } from '../llm/types.ts'
import type { OpenAiWire } from '../llm-openai/types.ts'
import { anthropicError, anthropicErrorType, anthropicLimited, limitMessage, messages } from './errors.ts'
import { fileRoutes } from './files.ts'
import { anthropicHeaders } from './headers.ts'
import { countTokens, createMessages, finishReasons } from './messages.ts'
import { messageBatchRoutes } from './message-batches.ts'
import { listModels, models, retrieveModel } from './models.ts'
import { isVertexPath, vertexRoutes } from './vertex.ts'
import { withReplies } from 'svc/toolkit'
import { REPLIES } from './replies.ts'

/** The OpenAI format needs the plugin of that format. */
export function createProvider(
  { engine, documents, batches }: Pick<Providers, 'engine' | 'documents' | 'batches'>,
  openai?: OpenAiWire,
): LlmProvider {
  return {
    id: 'anthropic',
    title: 'Anthropic',
    basePath: '/ai/anthropic',
    order: 3,
    credentials: [
      { source: 'x-api-key', header: 'x-api-key' },
      { source: 'bearer', scheme: 'Bearer' },
    ],
    models,
    knowsModel: id => id.startsWith('claude'),
    routes: withReplies<ProviderRoute>(
      [
        createMessages(engine, { documents, platform: 'anthropic' }),
        countTokens(engine, documents, 'anthropic'),
        listModels(engine),
        retrieveModel(),
        ...messageBatchRoutes(engine, batches, documents),
        ...fileRoutes(engine, documents),
        ...vertexRoutes(
          engine,
          createMessages(engine, { idPrefix: 'msg_vrtx_', platform: 'vertex' }) as LlmRoute,
          countTokens(engine, undefined, 'vertex'),
        ),
      ],
      REPLIES,
    ),
    mounts: openai === undefined ? [] : [openAiFormat(openai)],
    error: (kind, facts) => ({ status: facts.status, body: anthropicError(kind, facts) }),
    messages,
    unknownModel: 'model: {model}',
    headers: anthropicHeaders,
    limited: anthropicLimited,
    faultStatus: { overloaded: 529 },
    finishReasons,
    streamError: facts => ({ event: 'error', data: anthropicError('server_error', facts) }),
    check({ headers, enforced, path }) {
      if (enforced && !isVertexPath(path) && !headers['anthropic-version'])
        throw engine.badInput('anthropic-version: header is required')
    },
  }
}

/** Chat completions with the errors of this API in the form of that format. */
function openAiFormat(openai: OpenAiWire): MountedFormat {
  return openai.mount('/v1', ['chat'], {
    exampleModels: { 'svc-gpt': 'svc-claude' },
    defaultModel: 'svc-claude',
    error(kind, facts) {
      const type = facts.type ?? anthropicErrorType(kind)
      return { status: facts.status, body: openai.error(kind, { code: type, ...facts, type }) }
    },
    limited: (refusal, facts) => ({
      status: facts.status,
      body: openai.error('rate_limit', {
        ...facts,
        message: limitMessage(refusal),
        type: anthropicErrorType('rate_limit'),
        code: anthropicErrorType('rate_limit'),
      }),
    }),
  })
}
