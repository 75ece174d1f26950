/** Errors of Azure OpenAI: OpenAI's, except for credentials, limits, deployments and filtered prompts. */
import type { ErrorFacts, ErrorKind, ErrorResponse, Refusal } from '../llm/types.ts'
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

export function wholeSeconds(ms: number): string {
  return String(Math.ceil(ms / 1000))
}

/** Names of operations in messages of limits, by the last segments of the path. */
const OPERATIONS: readonly [path: string, name: string][] = [
  ['/chat/completions', 'ChatCompletions_Create'],
  ['/completions', 'Completions_Create'],
  ['/embeddings', 'Embeddings_Create'],
  ['/responses', 'Responses_Create'],
]

/** The refusal of a rate limit. */
export function azureLimited(
  { dimension, waitMs, model }: Refusal & { model: string },
  facts: ErrorFacts,
): ErrorResponse {
  const operation = OPERATIONS.find(([path]) => facts.path.endsWith(path))?.[1] ?? 'Create'
  const unit = dimension === 'rpm' || dimension === 'rpd' ? 'call' : 'token'
  const what = `Requests to the ${operation} Operation under Azure OpenAI API for ${model} have exceeded ${unit} rate limit of your current pricing tier.`
  const message =
    waitMs === null
      ? `${what} The request needs more tokens than the limit allows.`
      : `${what} Please retry after ${wholeSeconds(waitMs)} seconds.`
  return {
    status: facts.status,
    headers: waitMs === null ? {} : { 'retry-after-ms': String(Math.ceil(waitMs)) },
    body: { error: { code: '429', message } },
  }
}
