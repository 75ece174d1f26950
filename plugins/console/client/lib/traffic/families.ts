/** Names of headers that gateways, proxies, meshes and clouds add, to detect them without the original request. */

/** Name, or prefix with `*`, and family of each header. The first match applies. */
const FAMILIES: readonly (readonly [pattern: string, family: string])[] = [
  ['forwarded', 'Forwarded'],
  ['via', 'Via'],
  ['x-forwarded-client-cert*', 'Client certificate'],
  ['x-client-cert*', 'Client certificate'],
  ['x-forwarded-*', 'X-Forwarded'],
  ['x-real-ip', 'X-Forwarded'],
  ['x-original-*', 'X-Forwarded'],
  ['x-envoy-*', 'Envoy'],
  ['x-kong-*', 'Kong'],
  ['x-consumer-*', 'Consumer'],
  ['x-credential-*', 'Consumer'],
  ['x-authenticated-*', 'Consumer'],
  ['x-anonymous-consumer', 'Consumer'],
  ['x-tyk-*', 'Tyk'],
  ['x-gravitee-*', 'Gravitee'],
  ['x-apigee-*', 'Apigee'],
  ['x-amzn-*', 'AWS'],
  ['x-amz-cf-id', 'AWS'],
  ['x-azure-*', 'Azure'],
  ['x-arr-*', 'Azure'],
  ['apim-*', 'Azure'],
  ['cf-*', 'Cloudflare'],
  ['fly-*', 'Fly.io'],
  ['x-vercel-*', 'Vercel'],
  ['x-litellm-*', 'LiteLLM'],
  ['x-portkey-*', 'Portkey'],
  ['x-b3-*', 'Tracing'],
  ['b3', 'Tracing'],
  ['traceparent', 'Tracing'],
  ['tracestate', 'Tracing'],
  ['baggage', 'Tracing'],
  ['x-datadog-*', 'Tracing'],
  ['x-cloud-trace-context', 'Tracing'],
  ['x-correlation-id', 'Correlation'],
  ['x-ratelimit-*', 'Rate limit'],
]

const exact = new Map(FAMILIES.filter(([pattern]) => !pattern.endsWith('*')))
const prefixes = FAMILIES.filter(([pattern]) => pattern.endsWith('*')).map(
  ([pattern, family]) => [pattern.slice(0, -1), family] as const,
)

/** The family of a header; null: probably sent by the client. */
export function familyOf(name: string): string | null {
  const lower = name.toLowerCase()
  return exact.get(lower) ?? prefixes.find(([prefix]) => lower.startsWith(prefix))?.[1] ?? null
}
