/** Plan limits for calls of the echo service. */
import t from 'tap'
import { status, type ServiceError } from '@grpc/grpc-js'
import { serve } from '../../support/server.ts'
import { call, collect, connectTo, echoClient, failureOf, metadataOf, type EchoClient } from './grpc-client.ts'

const server = await serve(t, { env: { SVC_LIMIT_REQUESTS: '3', SVC_LIMIT_SCOPE: 'session' } })
const target = `127.0.0.1:${server.ports.grpc}`
const client = echoClient(target)
t.teardown(() => client.close())

t.test('calls above the quota of a session end with RESOURCE_EXHAUSTED and the reason [GRPC-25]', async t => {
  const metadata = metadataOf({ 'x-svc-session': 'one' })
  for (let index = 0; index < 3; index++) await call(client, 'Echo', { message: 'x' }, { metadata })
  const refused = await failureOf(call(client, 'Fail', { code: 3 }, { metadata }))
  t.equal(refused.code, status.RESOURCE_EXHAUSTED)
  t.ok(refused.details.length > 10, refused.details)
  for (const name of ['retry-after', 'x-svc-limit', 'x-svc-plan']) t.ok(refused.metadata.get(name).length > 0, name)
  t.equal((await collect(client.ServerStream({ count: 1 }, metadata))).code, status.RESOURCE_EXHAUSTED)
  const bidi = client.BidiStream(metadata)
  const ended = collect(bidi)
  bidi.write({ message: 'x' })
  t.match(await ended, { code: status.RESOURCE_EXHAUSTED, messages: [] })
  const joined = await new Promise<ServiceError | null>(resolve => {
    client.ClientStream(metadata, {}, resolve).end()
  })
  t.equal(joined?.code, status.RESOURCE_EXHAUSTED)
  t.match(await call(client, 'Echo', { message: 'other' }, { metadata: metadataOf({ 'x-svc-session': 'two' }) }), {
    message: 'other',
  })
})

t.test('health is exempt, and the peer address is a session [GRPC-25]', async t => {
  interface Health extends EchoClient {
    Check(request: object, callback: (error: ServiceError | null, response: { status: string }) => void): void
  }
  const health = connectTo<Health>('grpc.health.v1.Health', target)
  for (let index = 0; index < 3; index++) await call(client, 'Echo', {})
  t.equal((await failureOf(call(client, 'Echo', {}))).code, status.RESOURCE_EXHAUSTED)
  for (let index = 0; index < 5; index++) {
    t.equal(
      await new Promise(resolve =>
        health.Check({ service: '' }, (error, response) => resolve(error?.code ?? response.status)),
      ),
      'SERVING',
    )
  }
  health.close()
})
