/** The Amazon Bedrock provider. */
import { withReplies } from 'svc/toolkit'
import { REPLIES } from './replies.ts'
import type { BedrockGuardrails } from '../guardrails/types.ts'
import type { Engine, LlmProvider, LlmRoute, ModelInfo, MountedFormat, ProviderRoute } from '../llm/types.ts'
import { applyRoute } from './apply-guardrail.ts'
import { converse, converseStream, finishReasons } from './converse.ts'
import { bedrockError, bedrockLimited, messages } from './errors.ts'
import { createFamilies, type SharedFormats } from './families.ts'
import { countTokens, invoke, invokeStream } from './invoke.ts'
import { sigV4 } from './sigv4.ts'
import { converseValidation, invokeValidation } from './validation/check.ts'
import type { OpenAiWire } from '../llm-openai/types.ts'

const models = [
  'svc-claude',
  'anthropic.claude-sonnet-4-5-20250929-v1:0',
  'anthropic.claude-haiku-4-5-20251001-v1:0',
  'amazon.nova-pro-v1:0',
  'amazon.titan-text-express-v1',
  'amazon.titan-embed-text-v2:0',
  'meta.llama3-3-70b-instruct-v1:0',
  'mistral.mistral-large-2407-v1:0',
  'cohere.embed-english-v3',
  'cohere.command-r-plus-v1:0',
  'cohere.rerank-v3-5:0',
  'amazon.titan-image-generator-v2:0',
  'svc-echo',
  'svc-scripted',
  'svc-random',
]

function kindOf(id: string): Pick<ModelInfo, 'kind'> {
  return id.includes('embed')
    ? { kind: 'embed' }
    : id.includes('rerank')
      ? { kind: 'rerank' }
      : id.includes('image')
        ? { kind: 'image' }
        : {}
}

/** The OpenAI format needs the plugin of that format. */
export function createProvider(
  engine: Engine,
  formats: SharedFormats,
  guardrails?: BedrockGuardrails,
  openai?: OpenAiWire,
): LlmProvider {
  const families = createFamilies(engine, formats)
  const messagesApi = formats.anthropic?.validation
  const ofConverse = converseValidation(messagesApi)
  const invoking = invokeValidation(messagesApi)
  const ofInvoke = invoking === undefined ? {} : { validation: invoking }
  return {
    id: 'bedrock',
    telemetry: {
      name: 'aws.bedrock',
      sampling({ inferenceConfig, temperature, top_p: topP }) {
        const { json } = engine
        return {
          temperature: json.own(inferenceConfig, 'temperature') ?? temperature,
          topP: json.own(inferenceConfig, 'topP') ?? topP,
        }
      },
    },
    title: 'Amazon Bedrock',
    basePath: '/ai/bedrock',
    order: 5,
    credentials: [sigV4, { source: 'bearer', scheme: 'Bearer' }],
    models: models.map(id => ({ id, ...kindOf(id) })),
    routes: withReplies<ProviderRoute>(
      [
        converse(engine, families, ofConverse, guardrails),
        converseStream(engine, families, ofConverse, guardrails),
        { ...invoke(engine, families, guardrails), ...ofInvoke } as LlmRoute,
        { ...invokeStream(engine, families, guardrails), ...ofInvoke } as LlmRoute,
        countTokens(engine, families),
        ...(guardrails === undefined ? [] : [applyRoute(engine, guardrails) as LlmRoute]),
      ],
      REPLIES,
    ),
    mounts: openai === undefined ? [] : [openAiFormat(openai)],
    error: bedrockError,
    limited: bedrockLimited,
    messages,
    contextError: ({ promptTokens, window }) =>
      window !== null && promptTokens > window ? { message: messages.context_length! } : 'cut',
    headers: ({ requestId }) => ({ 'x-amzn-requestid': requestId.replace(/[^\x20-\x7e]/g, '?') }),
    faultStatus: { missing_credential: 403, invalid_credential: 403, timeout: 408 },
    finishReasons,
    streamError: ({ message }) => ({ exception: 'internalServerException', data: { message } }),
  }
}

/** Chat completions as the service has them: errors in the form of that format, with the header of this API. */
function openAiFormat(openai: OpenAiWire): MountedFormat {
  return openai.mount('/openai/v1', ['chat', 'models', 'model'], {
    exampleModels: { 'svc-gpt': 'svc-claude' },
    defaultModel: 'svc-claude',
    error: (kind, facts) => ({ ...bedrockError(kind, facts), body: openai.error(kind, facts) }),
    limited: (refusal, facts) => {
      const { status, headers, body } = bedrockLimited(refusal, facts)
      return {
        status,
        headers: headers ?? {},
        body: openai.error('rate_limit', { ...facts, ...(body as { message: string }) }),
      }
    },
  })
}
