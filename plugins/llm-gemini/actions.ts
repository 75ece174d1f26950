/** Route descriptions of the actions on a model (`models/{model}:action`), and the model in their path. */
import type { LlmRouteDescription, RouteInput } from '../llm/types.ts'

const modelParameter = {
  name: 'model',
  in: 'path',
  required: true,
  description: 'Any model id, with or without the prefix models/',
  schema: { type: 'string' },
} as const

export function describeAction(
  action: string,
  summary: string,
  body: object,
  query = '',
  model = action.toLowerCase().includes('embed') ? 'gemini-embedding-001' : 'svc-gemini',
): LlmRouteDescription {
  return {
    summary,
    parameters: [modelParameter],
    examples: [
      {
        name: summary,
        path: `/ai/gemini/v1beta/models/${model}:${action}${query}`,
        json: body,
        isStreamed: action.startsWith('stream'),
      },
    ],
  }
}

/** The model in the path, without its resource prefix. */
export function modelOf({ params }: RouteInput): string {
  return (params.model ?? '').replace(/^models\//, '')
}
