/** Invalid input of every kind over connections, against one server that runs all plugins. */
import t from 'tap'
import { serve } from '../support/server.ts'
import { fuzz } from './engine.ts'
import { catalogFamilies } from './wire/catalog.ts'
import { credentials } from './wire/credentials.ts'
import { grpcFamilies } from './wire/grpc.ts'
import { rawHeads } from './wire/heads.ts'
import { Target } from './wire/server.ts'
import { uploads } from './wire/uploads.ts'
import { webSockets } from './wire/websockets.ts'

t.setTimeout(0)

const server = await serve(t, {
  env: {
    SVC_LOG_FORMAT: 'json',
    SVC_INSPECTOR_CAPACITY: '50',
    SVC_TRUST_FORWARD: 'true',
    SVC_MTLS_IN_HEADER: 'x-client-cert',
  },
})
const target = new Target(server)
t.teardown(() => target.close())

const grpc = await grpcFamilies(target, 150)
t.teardown(() => grpc.close())
const families = [
  rawHeads(target, 400),
  webSockets(target, 150),
  ...grpc.calls,
  ...uploads(target, 150),
  await credentials(target, 150),
  ...(await catalogFamilies(target, 80)),
  // Last: after an error of the protocol Node keeps a connection until it is idle for too long, even if the client has
  // disconnected.
  grpc.frames,
]

await t.test('every request is accepted or rejected [FUZZ-1, FUZZ-2, FUZZ-3]', t =>
  fuzz(t, families, target.complaints),
)
