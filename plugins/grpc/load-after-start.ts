/** Loads the server before the first call: a gateway often waits for a service for less time than loading takes. */
import type { Svc } from 'svc/plugin'
import type { BridgeConnections } from './bridge/connections.ts'

/** By then the listeners are open, and the first requests of whoever waited for the start are answered. */
const PAUSE_MS = 1000

/** Loads the server of a generation that serves gRPC on a port of the process. */
export function loadAfterStart(svc: Svc, connections: BridgeConnections): void {
  svc.whenRegistered(() => {
    const timer = setTimeout(() => {
      if (svc.instance.ports().grpc === null && !svc.config.grpcOnHttp) return
      connections.load().catch((error: unknown) => svc.log.error('the gRPC server could not be loaded', { error }))
    }, PAUSE_MS)
    timer.unref()
    svc.whenClosed(() => clearTimeout(timer))
  })
}
