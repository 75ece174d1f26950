/** Services of plugins on the gRPC server. */
import {
  makeGenericClientConstructor,
  credentials,
  status,
  type ServiceDefinition,
  type ServiceError,
} from '@grpc/grpc-js'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import type { PluginRecord } from '../../../core/contract/plugin.ts'
import { pluginFolder } from '../../support/plugins.ts'
import { serve } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { call, connectTo, type EchoClient, metadataOf } from './grpc-client.ts'

/** The source of a plugin that registers a service; `name` and `more` are source text. */
const plugin = (name: string, more = '') => `import { definePlugin } from 'svc/plugin'
const asText = { serialize: text => Buffer.from(text), deserialize: bytes => bytes.toString() }
const method = (name, responseStream) => ({
  path: '/${name}/' + name, requestStream: false, responseStream,
  requestSerialize: asText.serialize, requestDeserialize: asText.deserialize,
  responseSerialize: asText.serialize, responseDeserialize: asText.deserialize })
export default definePlugin({
  title: 'Service', paths: [], buildsOn: ['grpc'],
  register(_app, svc) {
    const services = svc.use('grpc.services')
    services.service({
      name: '${name}', methods: ['Shout', 'Repeat'], exposes: ['x-own'],
      open() {
        ${more}
        return {
          definition: { Shout: method('Shout', false), Repeat: method('Repeat', true) },
          handlers: {
            Shout: (call, reply) => reply(null, call.request.toUpperCase() + ' ' + svc.http.session(services.requestOf(call)).label),
            Repeat(call) { call.write(call.request); call.write(call.request); call.end() },
          },
          reflection: Buffer.alloc(0),
        }
      },
    })
  },
})`

const text = {
  serialize: (value: string) => Buffer.from(value),
  deserialize: (bytes: Buffer) => bytes.toString(),
}
const method = (name: string, responseStream: boolean): ServiceDefinition[string] => ({
  path: `/orders.v1.Orders/${name}`,
  requestStream: false,
  responseStream,
  requestSerialize: text.serialize,
  requestDeserialize: text.deserialize,
  responseSerialize: text.serialize,
  responseDeserialize: text.deserialize,
})
const Client = makeGenericClientConstructor(
  { Shout: method('Shout', false), Repeat: method('Repeat', true), Other: method('Other', false) },
  'orders',
)

t.test('a plugin adds a service, with everything that the echo service has [GRPC-28]', async t => {
  const { folder } = pluginFolder(t, {
    orders: plugin('orders.v1.Orders'),
    taken: plugin('orders.v1.Orders'),
    reserved: plugin('grpc.health.v1.Health'),
    broken: plugin('broken.v1.Broken', `throw new Error('no definition')`),
  })
  const { url, ports } = await serve(t, {
    plugins: ['grpc', 'orders', 'taken', 'reserved', 'broken'],
    env: { SVC_PLUGINS_DIR: folder, SVC_LIMIT_REQUESTS: '4', SVC_LIMIT_SCOPE: 'session' },
  })
  const target = `127.0.0.1:${ports.grpc}`
  const client = new Client(target, credentials.createInsecure())
  t.teardown(() => client.close())
  const shout = (metadata: Record<string, string>, name = 'Shout'): Promise<string> =>
    new Promise((resolve, reject) => {
      client[name]!(
        'hi',
        metadataOf({ 'x-svc-session': 'one', ...metadata }),
        (error: ServiceError | null, value: string) => (error ? reject(error) : resolve(value)),
      )
    })
  t.equal(await shout({}), 'HI one')
  const repeated: string[] = []
  for await (const part of client.Repeat!('hi', metadataOf({ 'x-svc-session': 'one' }))) repeated.push(String(part))
  t.same(repeated, ['hi', 'hi'])
  t.match(await shout({ 'x-svc-fail': '503' }).catch((error: unknown) => error), { code: status.UNAVAILABLE })
  t.match(await shout({}, 'Other').catch((error: unknown) => error), { code: status.UNIMPLEMENTED })
  await shout({})
  t.match(await shout({}).catch((error: unknown) => error), { code: status.RESOURCE_EXHAUSTED }, 'limits')

  const { requests } = (await (await fetch(`${url}/_svc/requests`)).json()) as { requests: { path: string }[] }
  t.ok(requests.filter(({ path }) => path === '/orders.v1.Orders/Shout').length >= 2, 'captured')
  const web = await fetch(`${url.replace(/:\d+$/, `:${ports.grpc}`)}/orders.v1.Orders/Shout`, {
    method: 'OPTIONS',
    headers: { Origin: 'https://app.example', 'Access-Control-Request-Method': 'POST' },
  })
  t.equal(web.status, 200, 'preflight')

  type Health = ReturnType<typeof connectTo> & {
    Check(request: object, callback: (error: ServiceError | null, reply: { status: string }) => void): void
  }
  const health = connectTo<Health>('grpc.health.v1.Health', target)
  t.teardown(() => health.close())
  const check = (service: string): Promise<unknown> =>
    new Promise(resolve =>
      health.Check({ service }, (error, reply) => resolve(error ? status[error.code] : reply.status)),
    )
  t.equal(await check('orders.v1.Orders'), 'SERVING')
  t.equal(await check('broken.v1.Broken'), 'NOT_FOUND')
  t.equal(await check('svc.echo.v1.EchoService'), 'SERVING')

  const { plugins } = (await (await fetch(`${url}/_svc/plugins`)).json()) as { plugins: PluginRecord[] }
  const errorOf = (name: string) => plugins.find(record => record.name === name)?.error?.message
  t.match(errorOf('taken'), /"orders.v1.Orders" of plugin taken is already registered by plugin orders/)
  t.match(errorOf('reserved'), /invalid gRPC service name "grpc.health.v1.Health"/)
})

t.test('a call whose method throws ends with a status [GRPC-28]', async t => {
  const { folder } = pluginFolder(t, {
    orders: plugin('orders.v1.Orders')
      .replace(
        'Shout: (call, reply) =>',
        "Shout: (call, reply) => { throw new Error('at once') }, Unused: (call, reply) =>",
      )
      .replace(
        'Repeat(call) {',
        "async Repeat(call) { call.write(call.request); await null; throw new Error('later')\n",
      ),
  })
  const { ports } = await serve(t, { plugins: ['grpc', 'orders'], env: { SVC_PLUGINS_DIR: folder } })
  const client = new Client(`127.0.0.1:${ports.grpc}`, credentials.createInsecure())
  t.teardown(() => client.close())
  const deadline = { deadline: Date.now() + 20_000 }
  const unary = new Promise((_, reject) => client.Shout!('hi', metadataOf({}), deadline, reject))
  await t.rejects(unary, { code: status.INTERNAL, details: 'internal error' })
  const parts: string[] = []
  const stream = async (): Promise<void> => {
    for await (const part of client.Repeat!('hi', metadataOf({}), deadline)) parts.push(String(part))
  }
  await t.rejects(stream(), { code: status.INTERNAL, details: 'internal error' })
  t.same(parts, ['hi'])
})

/** A plugin whose route says how often its service was opened. */
const counting = `import { definePlugin } from 'svc/plugin'
export default definePlugin({
  title: 'Counting', paths: ['/opened'], buildsOn: ['grpc'],
  register(app, svc) {
    let opened = 0
    svc.use('grpc.services').service({
      name: 'counting.v1.Counting', methods: ['Get'],
      open() { opened++; return { definition: {}, handlers: {}, reflection: Buffer.alloc(0) } },
    })
    app.get('/opened', async () => ({ opened }))
  },
})`

t.test('services are loaded soon after the start, without a call, and once [GRPC-28]', async t => {
  const { folder } = pluginFolder(t, { counting })
  const { url, ports } = await serve(t, {
    plugins: ['grpc', 'counting'],
    env: { SVC_PLUGINS_DIR: folder },
    oneProcess: 'how often a process loads',
  })
  const opened = async (): Promise<number> =>
    ((await (await fetch(`${url}/opened`)).json()) as { opened: number }).opened
  await until(async () => (await opened()) === 1)
  const client = connectTo<EchoClient>('svc.echo.v1.EchoService', `127.0.0.1:${ports.grpc}`)
  t.teardown(() => client.close())
  t.match(await call(client, 'Echo', { message: 'hi' }), { message: 'hi' })
  t.equal(await opened(), 1)
})

t.test('a first call that comes before loads the services [GRPC-28]', async t => {
  const { folder } = pluginFolder(t, { counting })
  const { url, ports } = await serve(t, {
    plugins: ['grpc', 'counting'],
    env: { SVC_PLUGINS_DIR: folder },
    oneProcess: 'how often a process loads',
  })
  const client = connectTo<EchoClient>('svc.echo.v1.EchoService', `127.0.0.1:${ports.grpc}`)
  t.teardown(() => client.close())
  t.match(await call(client, 'Echo', { message: 'hi' }), { message: 'hi' })
  t.same(await (await fetch(`${url}/opened`)).json(), { opened: 1 })
})

t.test('without a port for gRPC nothing is loaded [GRPC-28]', async t => {
  const { folder } = pluginFolder(t, { counting })
  const taken = createServer().listen(0)
  t.teardown(() => taken.close())
  await once(taken, 'listening')
  const { url, ports } = await serve(t, {
    plugins: ['grpc', 'counting'],
    env: { SVC_PLUGINS_DIR: folder, SVC_GRPC_PORT: String((taken.address() as AddressInfo).port) },
    oneProcess: 'how often a process loads',
  })
  t.equal(ports.grpc, null)
  await sleep(1500)
  t.same(await (await fetch(`${url}/opened`)).json(), { opened: 0 })
})
