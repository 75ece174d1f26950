/** Adds the gRPC service; its implementation is loaded with the first call. */
import type { Svc } from 'svc/plugin'
import type { GrpcServices } from '../../grpc/types.ts'
import type { CheckParts } from './implementation.ts'

export const AUTHORIZATION = 'envoy.service.auth.v3.Authorization'

export function registerGrpc(svc: Svc<{ default: string }>, services: GrpcServices, parts: CheckParts): void {
  services.service({
    name: AUTHORIZATION,
    methods: ['Check'],
    open: async () => (await import('./implementation.ts')).openAuthorization(svc, services, parts),
  })
}
