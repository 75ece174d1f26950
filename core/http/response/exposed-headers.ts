/** `Access-Control-Expose-Headers`: what browsers may read across origins. */

/** Of every response, in the order of the specification. */
const ALWAYS = ['X-Request-Id', 'X-Svc-Fault', 'Content-Length', 'Mcp-Session-Id', 'MCP-Protocol-Version', 'WWW-Authenticate']

/** The core's, then what the doors of enabled plugins name, then those of active limits; each once. */
export function exposedHeaders(ofDoors: readonly string[], ofLimits: readonly string[]): string {
  const seen = new Map<string, string>()
  for (const name of [...ALWAYS, ...ofDoors, ...ofLimits]) if (!seen.has(name.toLowerCase())) seen.set(name.toLowerCase(), name)
  return [...seen.values()].join(', ')
}
