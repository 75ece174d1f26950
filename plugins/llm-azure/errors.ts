/** Errors of Azure OpenAI: OpenAI's, except for credentials, limits, deployments and filtered prompts. */
import type { ErrorFacts, ErrorKind, ErrorResponse } from '../llm/types.ts'
import type { OpenAiWire } from '../llm-openai/types.ts'
import { filterResults } from './content-filter.ts'

export function azureError(wire: OpenAiWire, kind: ErrorKind, facts: ErrorFacts): ErrorResponse {
  const { status, message } = facts
  if (kind === 'missing_credential' || kind === 'invalid_credential')
    return { status, body: { error: { code: '401', message } } }
  if (kind === 'rate_limit') return { status, body: { error: { code: '429', message } } }
  if (kind === 'unknown_route') return { status, body: { error: { code: '404', message } } }
  const { error } = wire.error(kind, kind === 'not_found' ? { code: 'DeploymentNotFound', ...facts } : facts)
  const headers: Record<string, string> = facts.code === undefined ? {} : { 'x-ms-error-code': facts.code }
  if (kind !== 'prompt_filter') return { status, headers, body: { error } }
  const innererror = { code: 'ResponsibleAIPolicyViolation', content_filter_result: filterResults(true) }
  return { status, body: { error: { ...error, type: null, status: 400, innererror } } }
}
