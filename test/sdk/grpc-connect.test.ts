/** Connect's clients, over gRPC and gRPC-Web, on HTTP/1.1 and HTTP/2; and a reflection client. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { createFileRegistry, fromBinary, fromJson, toJson, type DescService } from '@bufbuild/protobuf'
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { Code, ConnectError, type Transport } from '@connectrpc/connect'
import { createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node'
import { credentials } from '@grpc/grpc-js'
import { Client as ReflectionClient } from 'grpc-reflection-js'
import { DESCRIPTOR_SET } from '../../proto/compile.ts'
import { serve } from '../support/server.ts'

const server = await serve(t, { env: { SVC_GRPC_ON_HTTP: 'true' } })
const baseUrl = `http://127.0.0.1:${server.ports.grpc}`
const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(DESCRIPTOR_SET)))
const service: DescService = registry.getService('svc.echo.v1.EchoService')!

async function* just(...messages: object[]): AsyncIterable<object> {
  yield* messages
}

/** All answers of a call, as JSON. */
async function call(transport: Transport, name: string, ...messages: object[]): Promise<Record<string, unknown>[]> {
  const method = service.methods.find(each => each.name === name)!
  const inputs = messages.map(message => fromJson(method.input, message as never))
  if (method.methodKind === 'unary') {
    const { message } = await transport.unary(method as never, undefined, undefined, undefined, inputs[0]! as never)
    return [toJson(method.output, message as never) as Record<string, unknown>]
  }
  const { message } = await transport.stream(method as never, undefined, undefined, undefined, just(...inputs) as never)
  const answers: Record<string, unknown>[] = []
  for await (const each of message) answers.push(toJson(method.output, each as never) as Record<string, unknown>)
  return answers
}

const transports: Record<string, Transport> = {
  gRPC: createGrpcTransport({ baseUrl }),
  'gRPC on the HTTP port': createGrpcTransport({ baseUrl: server.url }),
  'gRPC-Web over HTTP/1.1': createGrpcWebTransport({ baseUrl, httpVersion: '1.1' }),
  'gRPC-Web over HTTP/2': createGrpcWebTransport({ baseUrl, httpVersion: '2' }),
  'gRPC-Web on the HTTP port over HTTP/1.1': createGrpcWebTransport({ baseUrl: server.url, httpVersion: '1.1' }),
}

for (const [name, transport] of Object.entries(transports)) {
  t.test(`connect calls every method by ${name} [GRPC-30]`, async t => {
    t.match(await call(transport, 'Echo', { message: 'hi' }), [
      { message: 'hi', instanceId: 'test-1', metadata: Object },
    ])
    t.strictSame(
      (await call(transport, 'ServerStream', { message: 's', count: 2 })).map(({ message }) => message),
      ['s', 's'],
    )
    t.match(await call(transport, 'ClientStream', { message: 'a' }, { message: 'b' }), [{ message: 'a b', index: 2 }])
    t.strictSame(
      (await call(transport, 'BidiStream', { message: 'a' }, { message: 'b' })).map(({ message }) => message),
      ['a', 'b'],
    )
    const error = ConnectError.from(
      await call(transport, 'Fail', { code: 8, message: 'enough' }).catch((reason: unknown) => reason),
    )
    t.equal(error.code, Code.ResourceExhausted)
    t.equal(error.rawMessage, 'enough')
    t.equal(error.metadata.get('x-svc-fail'), 'true')
    t.match(error.details[0], { type: 'google.rpc.ErrorInfo' })
  })
}

t.test('grpc-reflection-js reads services and types [GRPC-30]', async t => {
  const client = new ReflectionClient(`127.0.0.1:${server.ports.grpc}`, credentials.createInsecure())
  t.ok((await client.listServices()).includes('svc.echo.v1.EchoService'))
  const root = await client.fileContainingSymbol('svc.echo.v1.EchoService')
  t.strictSame(Object.keys(root.lookupService('svc.echo.v1.EchoService').methods), [
    'Echo',
    'ServerStream',
    'ClientStream',
    'BidiStream',
    'Fail',
  ])
  client.grpcClient.close()
})
