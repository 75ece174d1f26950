/** Creates route descriptions. */
import type { LlmRouteDescription } from '../llm/types.ts'

/** Streamed examples show the header that sets their speed. */
const pace = { name: 'X-Svc-Tokens-Per-Second', value: '500' }

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
    requestBody: { required: true, content: { 'application/json': { type: 'object' } } },
    examples: [
      {
        name: summary,
        method: 'POST',
        headers: operation.endsWith('stream') ? [pace] : [],
        path: `/ai/bedrock/model/${model}/${operation}`,
        body: JSON.stringify(body),
        bodyType: 'json',
        expectStatus: 200,
      },
    ],
  }
}

/** Removes ARN and region from an id: `arn:…/us.anthropic.claude-x` becomes `anthropic.claude-x`. */
export function familyId(modelId: string): string {
  return modelId.slice(modelId.lastIndexOf('/') + 1).replace(/^(?:[a-z]{2}|apac|global|us-gov)\./, '')
}
