/** The door of the plugin `grpc`: the echo service, health and reflection, over gRPC and gRPC-Web. */
import { definePlugin } from 'svc/plugin'
import { BridgeConnections } from './bridge/connections.ts'
import { takeOverCalls } from './bridge/take-over.ts'
import { createProtocolDefinitions } from './definitions.ts'
import { onFirstUse } from './first-use.ts'
import { createServer } from './server.ts'

export default definePlugin({
  title: 'gRPC',
  description: 'Echo service with every kind of call, health and reflection, over gRPC and gRPC-Web.',
  paths: [],
  register(_app, svc) {
    const definitions = svc.shared('definitions', () => onFirstUse(() => createProtocolDefinitions(svc.folder)))
    // The server comes with the first call: most generations of most instances never see one.
    const connections = new BridgeConnections(() => createServer(svc, definitions()))
    svc.whenClosed(() => connections.close())
    svc.whenStopped(() => connections.close())
    takeOverCalls(svc, connections)
  },
})
