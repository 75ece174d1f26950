/** The plugin `a2a-grpc`: the gRPC binding of the A2A agents, protocol version 1.0. */
import { definePlugin } from 'svc/plugin'
import type {} from '../a2a/types.ts'
import type {} from '../grpc/types.ts'
import { METHODS, SERVICE } from './methods.ts'

export default definePlugin({
  title: 'A2A over gRPC',
  description: 'The A2A agents over gRPC: the service lf.a2a.v1.A2AService of protocol version 1.0.',
  paths: [],
  buildsOn: ['a2a', 'grpc'],
  register(_app, svc) {
    const core = svc.use('a2a.core')!
    const services = svc.use('grpc.services')!
    services.service({
      name: SERVICE,
      methods: METHODS,
      exposes: ['a2a-version', 'a2a-extensions'],
      open: async () => (await import('./implementation.ts')).openA2a(svc, core, services),
    })
  },
})
