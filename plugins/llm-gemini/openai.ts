/** The OpenAI format on the Gemini API, and on Vertex AI for a project and a location. */
import type { ErrorResponse, MountedFormat } from '../llm/types.ts'
import type { OpenAiRouteName, OpenAiWire } from '../llm-openai/types.ts'
import { geminiError, geminiLimited } from './errors.ts'

const VERTEX_ENDPOINT = '/projects/{project}/locations/{location}/endpoints/openapi'

export function openAiFormats(openai: OpenAiWire): MountedFormat[] {
  const at = (prefix: string, names: readonly OpenAiRouteName[]): MountedFormat =>
    openai.mount(prefix, names, {
      exampleModels: { 'svc-gpt': 'svc-gemini', 'svc-embed': 'gemini-embedding-001' },
      defaultModel: 'svc-gemini',
      modelId: id => id.replace(/^(?:models|google)\//, ''),
      error: (kind, facts) => listed(geminiError(kind, facts)),
      limited: (refusal, facts) => listed(geminiLimited(refusal, facts)),
      // Clients of the format look for `error` in the data of an event.
      streamError: facts => ({ data: geminiError('server_error', facts).body }),
    })
  return [
    at('/v1beta/openai', ['chat', 'embeddings', 'models', 'model']),
    at(`/v1${VERTEX_ENDPOINT}`, ['chat']),
    at(`/v1beta1${VERTEX_ENDPOINT}`, ['chat']),
  ]
}

/** These endpoints send an error as a list of one. */
function listed({ body, ...response }: ErrorResponse): ErrorResponse {
  return { ...response, body: [body] }
}
