/** Creates route descriptions. */
import type { LlmRouteDescription } from '../llm/types.ts'

export function describePost(
  path: string,
  summary: string,
  examples: { name: string; body: object }[],
): LlmRouteDescription {
  return { summary, examples: examples.map(({ name, body }) => ({ name, path: `/ai/cohere${path}`, json: body })) }
}
