/** Owns the tool that returns the request as received, which shows what a gateway has changed. */
import type { ToolDefinition } from '../../types.ts'
import { maskedHeaders, maskedUri } from '../masking.ts'
import { defineTool, textResult } from './define.ts'

const inspectRequest = defineTool<Record<never, never>>({
  name: 'inspect_request',
  title: 'Inspect the request',
  description: 'Returns the HTTP request of this call, with credentials masked.',
  input: {},
  output: {
    method: { type: 'string' },
    uri: { type: 'string' },
    headers: {
      type: 'object',
      additionalProperties: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
    },
    clientIp: { type: 'string' },
    transport: { type: 'string', enum: ['streamable-http', 'http+sse'] },
    server: { type: 'string' },
    protocolVersion: { type: 'string' },
    session: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    tokenClaims: { anyOf: [{ type: 'object' }, { type: 'null' }] },
  },
  annotations: { idempotentHint: false },
  call(_args, { http, transport, server, version, session, claims }) {
    const request = {
      method: http.method,
      uri: maskedUri(http.uri),
      headers: maskedHeaders(http.rawHeaders),
      clientIp: http.clientIp,
      transport,
      server,
      protocolVersion: version,
      session,
      tokenClaims: claims,
    }
    return textResult(JSON.stringify(request, null, 2), request)
  },
})

export const inspectionTools: ToolDefinition[] = [inspectRequest]
