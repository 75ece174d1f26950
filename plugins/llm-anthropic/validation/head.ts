/** Headers of the Messages API: the version, and the beta features. */
import type { CheckedRequest, Report } from '../../llm/types.ts'
import type { MessagesVariant } from './check.ts'

const INTERLEAVED = 'interleaved-thinking-2025-05-14'

export function checkHead(
  request: CheckedRequest,
  { betas, hasVersionHeader, hasBetaHeader }: Pick<MessagesVariant, 'betas' | 'hasVersionHeader' | 'hasBetaHeader'>,
  report: Report,
): void {
  if (hasVersionHeader && request.headers['anthropic-version'] === undefined)
    report('anthropic.version', 'anthropic-version')
  const named = hasBetaHeader ? betasOf(request) : betasOfBody(request)
  const unknown = new Set(named.filter(name => !betas.values.includes(name) && !request.fields.has(name)))
  if (unknown.size > 0)
    report('anthropic.beta', 'anthropic-beta', { values: [...unknown].map(name => `\`${name}\``).join(', ') })
}

/** Whether the model thinks between calls, so that the budget may exceed the limit of the reply. */
export function interleaves(request: CheckedRequest): boolean {
  return betasOf(request).includes(INTERLEAVED)
}

/** The features that the request asks for: in the header, or in the body where the platform has no such header. */
function betasOf(request: CheckedRequest): string[] {
  const header = request.headers['anthropic-beta']
  const named = (Array.isArray(header) ? header.join(',') : (header ?? '')).split(',').map(name => name.trim())
  return [...named.filter(name => name !== ''), ...betasOfBody(request)]
}

function betasOfBody({ body: { anthropic_beta: listed } }: CheckedRequest): string[] {
  return Array.isArray(listed) ? listed.filter((name): name is string => typeof name === 'string' && name !== '') : []
}
