/** Creates route descriptions. */
import type { LlmRouteDescription } from '../llm/types.ts'

export function describePost(
  path: string,
  summary: string,
  examples: { name: string; body: object }[],
): LlmRouteDescription {
  return {
    summary,
    examples: examples.map(({ name, body }) => ({
      name,
      path: `/ai/ollama${path}`,
      json: body,
      // Replies to chats are streamed by default.
      isStreamed: 'messages' in body && !('stream' in body),
    })),
  }
}

export function describeGet(path: string, summary: string): LlmRouteDescription {
  return { summary, examples: [{ name: summary, path: `/ai/ollama${path}`, expectStatus: 200 }] }
}
