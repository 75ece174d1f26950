/** The Gemini provider. */
import type { LlmProvider, ProviderRoute } from '../llm/types.ts'
import { batchEmbedContents, embedContent, predict } from './embed.ts'
import { cacheRoutes } from './caches/routes.ts'
import { batchRoutes } from './batches.ts'
import { fileRoutes } from './files.ts'
import { interactionError, isInteractionsPath } from './interactions/errors.ts'
import { interactionRoutes } from './interactions/routes.ts'
import { openAiFormats } from './openai.ts'
import type { OpenAiWire } from '../llm-openai/types.ts'
import type { GeminiState } from './state.ts'
import { geminiError, geminiLimited, messages } from './errors.ts'
import { countTokens, finishReasons, generateContent, streamGenerateContent } from './generate.ts'
import { getModel, listModels, models, unknownAction } from './models.ts'
import { withReplies } from 'svc/toolkit'
import { REPLIES } from './replies.ts'

/** Path prefixes of Google's models on Vertex AI: with a project, and in express mode (with an API key). */
const publisher = '/publishers/google'
const places = [`/projects/{project}/locations/{location}${publisher}`, publisher]
const vertexPaths = ['/ai/gemini/v1', '/ai/gemini/v1beta1'].flatMap(version => places.map(place => version + place))

/** The OpenAI format needs the plugin of that format. */
export function createProvider(state: GeminiState, openai?: OpenAiWire): LlmProvider {
  const { engine, documents, uploads, interactions, caches } = state
  return {
    id: 'gemini',
    telemetry: {
      name: 'gcp.gemini',
      sampling({ generationConfig, generation_config: snakeCase, temperature, top_p: topP }) {
        const { json } = engine
        return {
          temperature: json.own(generationConfig, 'temperature') ?? json.own(snakeCase, 'temperature') ?? temperature,
          topP: json.own(generationConfig, 'topP') ?? json.own(snakeCase, 'top_p') ?? topP,
        }
      },
      replyId: ({ responseId, id, interaction }) => responseId ?? id ?? engine.json.own(interaction, 'id'),
    },
    title: 'Gemini',
    basePath: '/ai/gemini',
    aliases: {
      ...Object.fromEntries(['/ai/gemini/v1', ...vertexPaths].map(base => [base, '/v1beta'])),
      '/ai/gemini/v1beta2/interactions': '/v1beta/interactions',
      '/ai/gemini/upload/v1': '/upload/v1beta',
      '/ai/gemini/download/v1': '/download/v1beta',
    },
    order: 4,
    credentials: [
      { source: 'x-goog-api-key', header: 'x-goog-api-key' },
      { source: 'query-key', query: 'key' },
      { source: 'bearer', scheme: 'Bearer' },
    ],
    models,
    knowsModel: id => id.startsWith('gemini'),
    // Must be last: it matches all remaining paths.
    routes: withReplies<ProviderRoute>(
      [
        listModels(engine),
        getModel(),
        generateContent(engine, caches),
        streamGenerateContent(engine, caches),
        countTokens(engine, caches),
        batchEmbedContents(engine),
        embedContent(engine),
        predict(engine),
        ...fileRoutes(engine, documents, uploads),
        ...batchRoutes(state),
        ...cacheRoutes(engine, caches),
        ...interactionRoutes(engine, interactions),
        unknownAction(engine),
      ],
      REPLIES,
    ),
    mounts: openai === undefined ? [] : openAiFormats(openai),
    error: (kind, facts) => (isInteractionsPath(facts.path) ? interactionError(facts) : geminiError(kind, facts)),
    limited: (refusal, facts) =>
      isInteractionsPath(facts.path) ? interactionError(facts) : geminiLimited(refusal, facts),
    messages,
    contextError: ({ promptTokens, window }) =>
      window !== null && promptTokens > window
        ? {
            message: `The input token count (${promptTokens}) exceeds the maximum number of tokens allowed (${window}).`,
          }
        : 'cut',
    unknownModel: 'models/{model} is not found for API version v1beta.',
    faultStatus: { missing_credential: 403, invalid_credential: 400 },
    rendersPromptFilter: true,
    finishReasons,
  }
}
