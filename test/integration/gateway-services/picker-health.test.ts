/** Health checks of the endpoint picker, by the names that gateways with inference pools ask for. */
import t from 'tap'
import { type ClientReadableStream, type ServiceError, status } from '@grpc/grpc-js'
import { send } from '../../support/rules.ts'
import { serve } from '../../support/server.ts'
import { eventually } from '../../support/until.ts'
import { connectTo } from '../protocols/grpc-client.ts'

type Reply = { status: string }
type Health = ReturnType<typeof connectTo> & {
  Check(request: object, callback: (error: ServiceError | null, reply: Reply) => void): void
  Watch(request: object): ClientReadableStream<Reply>
}

t.test('the picker is ready while it has endpoints [GWS-20]', async t => {
  const server = await serve(t, { plugins: ['ext-proc'] })
  const health = connectTo<Health>('grpc.health.v1.Health', `127.0.0.1:${server.ports.grpc}`)
  t.teardown(() => health.close())
  const check = (service: string): Promise<unknown> =>
    new Promise(resolve =>
      health.Check({ service }, (error, reply) => resolve(error ? status[error.code] : reply.status)),
    )
  const put = (endpoints: string[]) => send(server, 'PUT /_svc/services/endpoints', { body: endpoints })
  t.equal(await check('liveness'), 'SERVING')
  t.equal(await check('envoy.service.ext_proc.v3.ExternalProcessor'), 'SERVING')
  t.equal(await check('readiness'), 'NOT_SERVING', 'no endpoints')
  const watched: string[] = []
  const watch = health.Watch({ service: 'readiness' })
  watch.on('data', (reply: Reply) => watched.push(reply.status))
  watch.on('error', () => {})
  t.teardown(() => watch.cancel())
  await eventually(t, async () => watched.join(), /^NOT_SERVING$/)
  await put(['10.0.0.7:8000'])
  t.equal(await check('readiness'), 'SERVING')
  await put(['10.0.0.8:8000'])
  await put([])
  t.equal(await check('readiness'), 'NOT_SERVING')
  await eventually(t, async () => watched.join(), /^NOT_SERVING,SERVING,NOT_SERVING$/)
  t.equal(await check('startup'), 'NOT_FOUND')
})
