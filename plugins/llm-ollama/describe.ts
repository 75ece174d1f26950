/** Descriptions of the format's routes. */
import type { LlmRouteDescription } from '../llm/types.ts'

export function describePost(path: string, summary: string, examples: { name: string; body: object }[]): LlmRouteDescription {
  return {
    summary,
    requestBody: { required: true, content: { 'application/json': { type: 'object' } } },
    examples: examples.map(({ name, body }) => ({ name, method: 'POST', path: `/ai/ollama${path}`, body: JSON.stringify(body), bodyType: 'json', expectStatus: 200 })),
  }
}

export function describeGet(path: string, summary: string): LlmRouteDescription {
  return { summary, examples: [{ name: summary, path: `/ai/ollama${path}`, expectStatus: 200 }] }
}
