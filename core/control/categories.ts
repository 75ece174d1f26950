/** Owns the order in which the catalogue's categories are shown. */

/** Categories in display order; a category that is not among them comes behind, by name. */
export const CATEGORIES: readonly string[] = [
  'Echo & Reflection',
  'Status Codes',
  'Response Shaping',
  'Streaming (SSE)',
  'Redirects & Cookies',
  'Info & Random',
  'Auth: Basic & API Key',
  'Auth: HMAC',
  'Auth: JWT',
  'Auth: OIDC Provider',
  'Auth: mTLS',
  'AI: Mock LLM',
  'AI: Guardrails',
  'MCP Server',
  'A2A Agents',
  'GraphQL',
  'Orchestration',
  'SOAP / XML',
  'WebSocket',
  'JSON-RPC',
  'OpenAPI Mocks',
  'Reliability Testing',
  'Request Bin & Webhooks',
  'Health & Identity',
  'Control Plane',
  'Docs',
]

const rankOf = new Map(CATEGORIES.map((name, rank) => [name, rank]))

/** Sort order of two category names: below 0 when `a` is shown first. */
export function compareCategories(a: string, b: string): number {
  const rankA = rankOf.get(a) ?? CATEGORIES.length
  const rankB = rankOf.get(b) ?? CATEGORIES.length
  if (rankA !== rankB) return rankA - rankB
  return a < b ? -1 : a > b ? 1 : 0
}
