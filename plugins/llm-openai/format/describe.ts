/** Creates route descriptions. */
import type { LlmRouteDescription } from '../../llm/types.ts'

/** A POST route with one JSON example. */
export function describePost(
  path: string,
  summary: string,
  example: { name: string; body: object; status?: number }[],
): LlmRouteDescription {
  return {
    summary,
    examples: example.map(({ name, body, status = 200 }) => ({
      name,
      path: `/ai/openai/v1${path}`,
      json: body,
      expectStatus: status,
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
