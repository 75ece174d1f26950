/** Adds the gRPC service; its implementation is loaded with the first call. */
import type { Svc } from 'svc/plugin'
import type { GrpcServices } from '../../grpc/types.ts'
import type { ProcParts } from '../stream.ts'

export const EXT_PROC = 'envoy.service.ext_proc.v3.ExternalProcessor'

export function registerGrpc(svc: Svc<unknown>, services: GrpcServices, parts: ProcParts): void {
  services.service({
    name: EXT_PROC,
    methods: ['Process'],
    open: async () => (await import('./implementation.ts')).openExternalProcessor(svc, services, parts),
  })
}
