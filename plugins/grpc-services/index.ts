/** The plugin `grpc-services`: the gRPC services that test suites of other projects call. */
import { definePlugin } from 'svc/plugin'
import type {} from '../grpc/types.ts'
import type {} from '../httpbin/types.ts'
import type {} from '../orca/types.ts'
import { SERVICES } from './catalog.ts'
import { type GrpcServicesOptions, schema } from './options.ts'

export default definePlugin<GrpcServicesOptions>({
  title: 'gRPC services of test suites',
  description:
    "gRPC's interoperability service, and the echo and greeting services of Gateway API, Istio, fortio, grpcbin and Traefik.",
  paths: [],
  section: 'grpc_services',
  buildsOn: ['grpc'],
  uses: ['httpbin', 'orca'],
  options: schema,
  register(_app, svc) {
    const { enable, disable } = svc.options
    const grpc = svc.use('grpc.services')!
    const served = SERVICES.filter(({ name }) => (enable ?? [name]).includes(name) && !disable.includes(name))
    for (const { name, methods, readsCompression, exposes } of served)
      grpc.service({
        name,
        methods,
        ...(readsCompression && { readsCompression }),
        ...(exposes && { exposes }),
        open: async () => (await import('./implementation.ts')).openService(svc, name),
      })
  },
})
