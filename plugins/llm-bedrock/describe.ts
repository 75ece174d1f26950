/** Creates route descriptions. */
import type { LlmRouteDescription } from '../llm/types.ts'

/** A POST route of a model, with one JSON example; `model` is encoded for a path. */
export function describeOperation(
  operation: string,
  model: string,
  summary: string,
  body: object,
): LlmRouteDescription {
  return {
    summary,
    parameters: [
      {
        name: 'modelId',
        in: 'path',
        required: true,
        description: 'Any model id or ARN; slashes may be percent-encoded',
        schema: { type: 'string' },
      },
    ],
    examples: [
      {
        name: summary,
        path: `/ai/bedrock/model/${model}/${operation}`,
        json: body,
        isStreamed: operation.endsWith('stream'),
      },
    ],
  }
}

/** Removes ARN and region from an id: `arn:…/us.anthropic.claude-x` becomes `anthropic.claude-x`. */
export function familyId(modelId: string): string {
  return modelId.slice(modelId.lastIndexOf('/') + 1).replace(/^(?:[a-z]{2}|apac|global|us-gov)\./, '')
}
