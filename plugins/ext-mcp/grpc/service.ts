/** Adds the gRPC service; its implementation is loaded with the first call. */
import type { Svc } from 'svc/plugin'
import type { GatewayService } from '../../gateway-services/types.ts'
import type { GrpcServices } from '../../grpc/types.ts'
import type { Checker } from '../checker.ts'

export const EXT_MCP = 'agentgateway.dev.ext_mcp.ExtMcp'

export interface McpParts {
  service: GatewayService
  checker: Checker
}

export function registerGrpc(svc: Svc<unknown>, services: GrpcServices, parts: McpParts): void {
  services.service({
    name: EXT_MCP,
    methods: ['CheckRequest', 'CheckResponse'],
    open: async () => (await import('./implementation.ts')).openExtMcp(svc, services, parts),
  })
}
