/** What is common to all services: options, health, reflection, faults, sessions and the inspector. */
import { type Client, type ClientDuplexStream, status } from '@grpc/grpc-js'
import t from 'tap'
import { SERVICES } from '../../../plugins/grpc-services/catalog.ts'
import { GrpcCaller, loadProto, type Message } from '../../support/grpc-caller.ts'
import { serve, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { connectTo } from '../protocols/grpc-client.ts'

interface Reflection extends Client {
  ServerReflectionInfo(): ClientDuplexStream<object, Message>
}

async function reflect({ ports }: TestServer, version: string, question: object): Promise<Message> {
  const client = connectTo<Reflection>(`grpc.reflection.${version}.ServerReflection`, `127.0.0.1:${ports.grpc}`)
  const stream = client.ServerReflectionInfo()
  const answers: Message[] = []
  stream.on('data', (answer: Message) => answers.push(answer)).on('error', () => {})
  stream.write(question)
  stream.end()
  await until(() => answers.length > 0)
  client.close()
  return answers[0]
}
const listed = async (server: TestServer, version = 'v1'): Promise<string[]> =>
  (await reflect(server, version, { list_services: '' })).list_services_response.service.map(
    ({ name }: Message) => name,
  )

async function health({ ports }: TestServer, service: string): Promise<string> {
  const client = connectTo<Message>('grpc.health.v1.Health', `127.0.0.1:${ports.grpc}`)
  const found = await new Promise<string>(resolve =>
    client.Check({ service }, (error: { code: number } | null, reply: { status: string }) =>
      resolve(error ? status[error.code]! : reply.status),
    ),
  )
  client.close()
  return found
}

t.test('all services are in health and in both versions of reflection [GSV-20]', async t => {
  const server = await serve(t)
  t.same(server.problems(), [])
  for (const { name, methods } of SERVICES) {
    t.equal(await health(server, name), 'SERVING', name)
    for (const version of ['v1', 'v1alpha']) {
      const found = await reflect(server, version, { file_containing_symbol: `${name}.${methods[0]}` })
      t.ok(found.file_descriptor_response.file_descriptor_proto.length > 0, `${version} ${name}`)
    }
  }
  for (const version of ['v1', 'v1alpha']) {
    const names = await listed(server, version)
    t.same(
      SERVICES.filter(({ name }) => !names.includes(name)),
      [],
    )
  }
})

t.test('a service that is not served is unknown [GSV-21]', async t => {
  const server = await serve(t, {
    plugins: ['grpc-services'],
    settings: { grpc_services: { enable: ['whoami.Whoami', 'addsvc.Add'], disable: ['addsvc.Add'] } },
  })
  const names = (await listed(server)).filter(name => SERVICES.some(service => service.name === name))
  t.same(names, ['whoami.Whoami'])
  t.same([await health(server, 'whoami.Whoami'), await health(server, 'addsvc.Add')], ['SERVING', 'NOT_FOUND'])
  const caller = new GrpcCaller(`127.0.0.1:${server.ports.grpc}`, loadProto('services/addsvc.proto')['addsvc.Add']!)
  t.teardown(() => caller.close())
  t.equal((await caller.call('Sum', { a: 1 })).code, status.UNIMPLEMENTED)
})

t.test('an unknown name is reported with the nearest one [GSV-21]', async t => {
  const server = await serve(t, {
    plugins: ['grpc-services'],
    settings: { grpc_services: { disable: ['whoami.Whoam'] } },
  })
  t.match(JSON.stringify(server.problems()), /whoami\.Whoami/)
})

t.test('faults and sessions act, and calls are captured [GSV-22]', async t => {
  const server = await serve(t)
  const definition = loadProto('services/helloworld.proto')['helloworld.Greeter']!
  const caller = new GrpcCaller(`127.0.0.1:${server.ports.grpc}`, definition)
  t.teardown(() => caller.close())
  const metadata = { 'x-svc-session': 'greeting' }
  t.equal((await caller.call('SayHello', { name: 'x' }, { metadata })).code, status.OK)
  const failed = await caller.call('SayHello', { name: 'x' }, { metadata: { ...metadata, 'x-svc-fail': '503' } })
  t.equal(failed.code, status.UNAVAILABLE)
  const captured = async () =>
    ((await (await fetch(`${server.url}/_svc/requests?session=greeting`)).json()) as Message).requests
  await until(async () => (await captured()).length === 2)
  t.same(
    (await captured()).map(({ path, grpc_status, session }: Message) => [path, grpc_status, session]),
    [
      ['/helloworld.Greeter/SayHello', 14, 'greeting'],
      ['/helloworld.Greeter/SayHello', 0, 'greeting'],
    ],
  )
})

t.test('the plugin works without httpbin, which knows where the pod is [GSV-10]', async t => {
  const server = await serve(t, { plugins: ['grpc-services'], env: { NAMESPACE: 'shop' } })
  const name = 'gateway_api_conformance.echo_basic.grpcecho.GrpcEcho'
  const caller = new GrpcCaller(`127.0.0.1:${server.ports.grpc}`, loadProto('services/grpcecho.proto')[name]!)
  t.teardown(() => caller.close())
  t.equal((await caller.call('Echo')).messages[0].assertions.context.namespace, '')
})
