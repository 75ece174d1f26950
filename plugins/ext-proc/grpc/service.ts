/** Adds the gRPC service; its implementation is loaded with the first call. */
import type { Svc } from 'svc/plugin'
import type { GrpcServices, HealthName } from '../../grpc/types.ts'
import type { ProcParts } from '../stream.ts'

export const EXT_PROC = 'envoy.service.ext_proc.v3.ExternalProcessor'

interface Parts extends ProcParts {
  /** Of the endpoint picker: its health checks have the names that gateways with inference pools ask for. */
  readiness: Omit<HealthName, 'name'>
}

export function registerGrpc(svc: Svc<unknown>, services: GrpcServices, { readiness, ...parts }: Parts): void {
  services.service({
    name: EXT_PROC,
    methods: ['Process'],
    health: [{ name: 'liveness' }, { name: 'readiness', ...readiness }],
    open: async () => (await import('./implementation.ts')).openExternalProcessor(svc, services, parts),
  })
}
