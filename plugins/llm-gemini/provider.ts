/** The Gemini provider. */
import type { LlmProvider, ProviderRoute } from '../llm/types.ts'
import { batchEmbedContents, embedContent, predict } from './embed.ts'
import { batchRoutes } from './batches.ts'
import { fileRoutes } from './files.ts'
import { interactionError, isInteractionsPath } from './interactions/errors.ts'
import { interactionRoutes } from './interactions/routes.ts'
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

export function createProvider(state: GeminiState): LlmProvider {
  const { engine, documents, uploads, interactions } = state
  return {
    id: 'gemini',
    telemetry: {
      name: 'gcp.gemini',
      sampling({ generationConfig, generation_config: snakeCase }) {
        const { json } = engine
        return {
          temperature: json.own(generationConfig, 'temperature') ?? json.own(snakeCase, 'temperature'),
          topP: json.own(generationConfig, 'topP') ?? json.own(snakeCase, 'top_p'),
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
        generateContent(engine),
        streamGenerateContent(engine),
        countTokens(engine),
        batchEmbedContents(engine),
        embedContent(engine),
        predict(engine),
        ...fileRoutes(engine, documents, uploads),
        ...batchRoutes(state),
        ...interactionRoutes(engine, interactions),
        unknownAction(engine),
      ],
      REPLIES,
    ),
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
