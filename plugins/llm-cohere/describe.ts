/** Creates route descriptions. */
import type { LlmRouteDescription } from '../llm/types.ts'

/** Streamed examples show the header that sets their speed. */
const pace = { name: 'X-Svc-Tokens-Per-Second', value: '500' }

export function describePost(
  path: string,
  summary: string,
  examples: { name: string; body: object }[],
): LlmRouteDescription {
  return {
    summary,
    requestBody: { required: true, content: { 'application/json': { type: 'object' } } },
    examples: examples.map(({ name, body }) => ({
      name,
      method: 'POST',
      headers: 'stream' in body ? [pace] : [],
      path: `/ai/cohere${path}`,
      body: JSON.stringify(body),
      bodyType: 'json',
      expectStatus: 200,
    })),
  }
}
