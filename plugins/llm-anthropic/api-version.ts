/** Validation for the API version 2026-10-21. All other values behave like 2023-06-01. */
import type { Engine } from '../llm/types.ts'

const strictVersion = '2026-10-21'

/** Throws for fields that the API version in `anthropic-version` rejects. */
export function checkVersion(
  { json, badInput }: Engine,
  body: Record<string, unknown>,
  version: string | undefined,
): void {
  if (version?.trim() !== strictVersion) return
  for (const name of ['temperature', 'top_p', 'top_k'])
    if (body[name] !== undefined) throw badInput(`${name}: Extra inputs are not permitted`)
  json.listOf(body.messages).forEach((message, index) => {
    const role = json.own(message, 'role')
    json.listOf(json.own(message, 'content')).forEach((block, at) => {
      const type = json.own(block, 'type')
      if (role === 'assistant' && type === 'document')
        throw badInput(`messages.${index}.content.${at}: document blocks are not permitted in assistant messages`)
      if (role === 'user' && type === 'text' && json.listOf(json.own(block, 'citations')).length > 0)
        throw badInput(`messages.${index}.content.${at}.text.citations: Extra inputs are not permitted`)
    })
  })
}
