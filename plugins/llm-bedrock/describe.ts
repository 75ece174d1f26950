/** Descriptions of the format's routes. */
import type { LlmRouteDescription } from '../llm/types.ts'

/** Streamed examples show the header that sets their pace. */
const pace = { name: 'X-Svc-Tokens-Per-Second', value: '500' }

/** A POST route on a model, with one JSON example; `model` is as it stands in a path. */
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
        description: 'Any id or ARN, its slashes encoded or not',
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

/** The id without ARN path and region: `arn:…/us.anthropic.claude-x` is `anthropic.claude-x`. */
export function familyId(modelId: string): string {
  return modelId.slice(modelId.lastIndexOf('/') + 1).replace(/^(?:[a-z]{2}|apac|global|us-gov)\./, '')
}
