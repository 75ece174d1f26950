/** Creates route descriptions. */
import type { LlmRouteDescription } from '../llm/types.ts'

/** Streamed examples show the header that sets their speed; replies are streamed by default. */
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
      headers: 'messages' in body && !('stream' in body) ? [pace] : [],
      path: `/ai/ollama${path}`,
      body: JSON.stringify(body),
      bodyType: 'json',
      expectStatus: 200,
    })),
  }
}

export function describeGet(path: string, summary: string): LlmRouteDescription {
  return { summary, examples: [{ name: summary, path: `/ai/ollama${path}`, expectStatus: 200 }] }
}
