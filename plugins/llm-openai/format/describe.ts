/** Creates route descriptions. */
import type { LlmRouteDescription } from '../../llm/types.ts'

/** Streamed examples show the header that sets their speed. */
const pace = { name: 'X-Svc-Tokens-Per-Second', value: '500' }

/** A POST route with one JSON example. */
export function describePost(
  path: string,
  summary: string,
  example: { name: string; body: object; status?: number }[],
): LlmRouteDescription {
  return {
    summary,
    requestBody: { required: true, content: { 'application/json': { type: 'object' } } },
    examples: example.map(({ name, body, status }) => ({
      name,
      method: 'POST',
      headers: 'stream' in body ? [pace] : [],
      path: `/ai/openai/v1${path}`,
      body: JSON.stringify(body),
      bodyType: 'json',
      expectStatus: status ?? 200,
    })),
  }
}

/** A GET route with one example. */
export function describeGet(path: string, summary: string, name: string, status = 200): LlmRouteDescription {
  return describeOther('GET', path, summary, name, status)
}

/** A route with one example that has no body. */
export function describeOther(
  method: string,
  path: string,
  summary: string,
  name: string,
  status: number,
): LlmRouteDescription {
  return { summary, examples: [{ name, method, path: `/ai/openai/v1${path}`, expectStatus: status }] }
}
