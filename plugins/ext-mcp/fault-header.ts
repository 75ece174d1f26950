/** The header `X-Svc-Mcp-Check` of the checked request: what the client of a gateway asks the service to do. */
import type { ServiceFault } from '../gateway-services/types.ts'
import type { McpDecision } from './call.ts'

export const MCP_HEADER = 'X-Svc-Mcp-Check'
/** For messages. */
export const MCP_VALUES = 'pass, deny, deny:exhausted, slow:<ms>, error, hang, empty, malformed'

export type AskedDecision = 'pass' | 'deny' | 'exhausted' | 'empty' | 'malformed'

/** Null for any other value. */
export function parseFault(text: string): ServiceFault<AskedDecision> | null {
  const word = text.trim()
  switch (word) {
    case 'pass':
    case 'deny':
    case 'empty':
    case 'malformed':
      return { kind: 'own', fault: word }
    case 'deny:exhausted':
      return { kind: 'own', fault: 'exhausted' }
    case 'hang':
      return { kind: 'hang' }
    case 'error':
      return { kind: 'error', status: null }
    default: {
      const [, ms] = /^slow:(\d{1,9})$/.exec(word) ?? []
      return ms === undefined ? null : { kind: 'slow', ms: Number(ms) }
    }
  }
}

export function askedDecision(fault: AskedDecision, reason: string): McpDecision {
  switch (fault) {
    case 'pass':
    case 'empty':
    case 'malformed':
      return { kind: fault, reason }
    case 'deny':
      return { kind: 'deny', code: 'PERMISSION_DENIED', reason }
    case 'exhausted':
      return { kind: 'deny', code: 'RESOURCE_EXHAUSTED', reason }
  }
}
