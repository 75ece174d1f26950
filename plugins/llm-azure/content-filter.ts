/** The content filter results that Azure adds to prompts and choices. */
import type { ChatExtras } from '../llm-openai/types.ts'

/** All four categories; if a reply was filtered, `hate` is the reason. */
export function filterResults(filtered: boolean): object {
  const safe = { filtered: false, severity: 'safe' }
  return { hate: filtered ? { filtered: true, severity: 'high' } : safe, self_harm: safe, sexual: safe, violence: safe }
}

const promptResults = { prompt_filter_results: [{ prompt_index: 0, content_filter_results: filterResults(false) }] }

export const filterExtras: ChatExtras = {
  reply: () => promptResults,
  choice: finish => ({ content_filter_results: filterResults(finish === 'content_filter') }),
  opening: () => ({ id: '', object: '', created: 0, model: '', choices: [], ...promptResults }),
}
