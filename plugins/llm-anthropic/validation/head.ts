/** Headers of the Messages API: the version, and the beta features. */
import type { CheckedRequest, Report } from '../../llm/types.ts'
import type { MessagesVariant } from './check.ts'

const INTERLEAVED = 'interleaved-thinking-2025-05-14'

export function checkHead(
  request: CheckedRequest,
  { betas, hasVersionHeader }: Pick<MessagesVariant, 'betas' | 'hasVersionHeader'>,
  report: Report,
): void {
  if (hasVersionHeader && request.headers['anthropic-version'] === undefined)
    report('anthropic.version', 'anthropic-version')
  const unknown = betasOf(request).filter(name => !betas.values.includes(name) && !request.fields.has(name))
  if (unknown.length > 0)
    report('anthropic.beta', 'anthropic-beta', { values: unknown.map(name => `\`${name}\``).join(', ') })
}

/** Whether the model thinks between calls, so that the budget may exceed the limit of the reply. */
export function interleaves(request: CheckedRequest): boolean {
  return betasOf(request).includes(INTERLEAVED)
}

/** The features that the request asks for: in the header, or in the body where the platform has no such header. */
function betasOf({ headers, body }: CheckedRequest): string[] {
  const header = headers['anthropic-beta']
  const named = (Array.isArray(header) ? header.join(',') : (header ?? '')).split(',')
  const listed = Array.isArray(body.anthropic_beta) ? body.anthropic_beta.filter(name => typeof name === 'string') : []
  return [...named, ...listed].map(name => name.trim()).filter(name => name !== '')
}
