/** Server reflection: listed, found and unknown names. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import type { Client, ClientDuplexStream } from '@grpc/grpc-js'
import { fromBinary, createFileRegistry } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema, FileDescriptorSetSchema, type FileDescriptorProto } from '@bufbuild/protobuf/wkt'
import { DESCRIPTOR_SET } from '../../../proto/compile.ts'
import { serve } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { connectTo } from './grpc-client.ts'

interface Answer {
  valid_host: string
  original_request: object
  list_services_response?: { service: { name: string }[] }
  file_descriptor_response?: { file_descriptor_proto: Buffer[] }
  all_extension_numbers_response?: { base_type_name: string; extension_number: number[] }
  error_response?: { error_code: number; error_message: string }
}
interface Reflection extends Client {
  ServerReflectionInfo(): ClientDuplexStream<object, Answer>
}

const server = await serve(t)

/** Sends requests on one stream, in order. */
async function ask(version: string, ...questions: object[]): Promise<Answer[]> {
  const client = connectTo<Reflection>(`grpc.reflection.${version}.ServerReflection`, `127.0.0.1:${server.ports.grpc}`)
  const stream = client.ServerReflectionInfo()
  const answers: Answer[] = []
  let isOver = false
  stream
    .on('data', (answer: Answer) => answers.push(answer))
    .on('error', () => {})
    .on('end', () => {
      isOver = true
    })
  for (const question of questions) stream.write(question)
  stream.end()
  await until(() => isOver)
  client.close()
  return answers
}

const filesOf = (answer: Answer): FileDescriptorProto[] =>
  answer.file_descriptor_response!.file_descriptor_proto.map(bytes => fromBinary(FileDescriptorProtoSchema, bytes))

for (const version of ['v1', 'v1alpha']) {
  t.test(`${version} lists services and finds files [GRPC-14]`, async t => {
    const [list] = await ask(version, { host: 'me', list_services: '*' })
    t.strictSame(
      list!.list_services_response!.service.map(({ name }) => name),
      [
        'grpc.health.v1.Health',
        'grpc.reflection.v1.ServerReflection',
        'grpc.reflection.v1alpha.ServerReflection',
        'svc.echo.v1.EchoService',
      ],
    )
    t.match(list, { valid_host: 'me', original_request: { host: 'me', list_services: '*' } })
    const symbols: [symbol: string, files: string[]][] = [
      ['svc.echo.v1.EchoService', ['svc/echo/v1/echo.proto']],
      ['svc.echo.v1.EchoService.Echo', ['svc/echo/v1/echo.proto']],
      ['svc.echo.v1.EchoResponse', ['svc/echo/v1/echo.proto']],
      ['svc.echo.v1.EchoResponse.MetadataEntry', ['svc/echo/v1/echo.proto']],
      ['grpc.health.v1.HealthCheckResponse.ServingStatus', ['grpc/health/v1/health.proto']],
      ['grpc.reflection.v1.ServerReflectionRequest', ['grpc/reflection/v1/reflection.proto']],
      ['google.rpc.Status', ['google/rpc/status.proto', 'google/protobuf/any.proto']],
      ['google.rpc.ErrorInfo', ['google/rpc/error_details.proto', 'google/protobuf/duration.proto']],
      ['google.rpc.RetryInfo', ['google/rpc/error_details.proto', 'google/protobuf/duration.proto']],
    ]
    const answers = await ask(version, ...symbols.map(([symbol]) => ({ file_containing_symbol: symbol })))
    for (const [index, [symbol, names]] of symbols.entries())
      t.strictSame(
        filesOf(answers[index]!).map(file => file.name),
        names,
        symbol,
      )
    const known = new Set(answers.flatMap(filesOf).flatMap(file => [file.name, ...file.dependency]))
    for (const name of known) t.equal(filesOf((await ask(version, { file_by_filename: name }))[0]!)[0]!.name, name)
  })

  t.test(`${version} reports unknown names on the open stream [GRPC-15]`, async t => {
    const answers = await ask(
      version,
      { file_containing_symbol: 'no.such.Thing' },
      { file_by_filename: 'no.proto' },
      { file_containing_extension: { containing_type: 'svc.echo.v1.EchoRequest', extension_number: 5 } },
      { all_extension_numbers_of_type: 'no.Type' },
      { all_extension_numbers_of_type: 'svc.echo.v1.EchoRequest' },
      {},
      { file_by_filename: '__proto__' },
    )
    t.strictSame(
      answers.map(answer => answer.error_response?.error_code),
      [5, 5, 5, 5, undefined, 3, 5],
    )
    t.strictSame(answers[4]!.all_extension_numbers_response, {
      base_type_name: 'svc.echo.v1.EchoRequest',
      extension_number: [],
    })
  })
}

t.test('files are sent byte for byte as the compiler wrote them [GRPC-14]', async t => {
  const { file } = fromBinary(FileDescriptorSetSchema, readFileSync(DESCRIPTOR_SET))
  const set = readFileSync(DESCRIPTOR_SET)
  for (const version of ['v1', 'v1alpha']) {
    const answers = await ask(version, ...file.map(({ name }) => ({ file_by_filename: name })))
    for (const [index, { name }] of file.entries())
      t.ok(set.includes(answers[index]!.file_descriptor_response!.file_descriptor_proto[0]!), `${version} ${name}`)
  }
})

t.test('names that every object inherits are unknown [GRPC-15]', async t => {
  const answers = await ask(
    'v1',
    ...['__proto__', 'constructor', 'toString'].flatMap(name => [
      { file_containing_symbol: name },
      { file_by_filename: name },
      { all_extension_numbers_of_type: name },
      { file_containing_extension: { containing_type: name, extension_number: 1 } },
    ]),
  )
  t.strictSame(
    answers.map(answer => answer.error_response?.error_code),
    Array.from({ length: 12 }, () => 5),
  )
})

t.test('the descriptors are those of the compiler, valid for strict clients [GRPC-14]', async t => {
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(DESCRIPTOR_SET)))
  t.equal(registry.getMessage('svc.echo.v1.EchoResponse')?.field.metadata?.fieldKind, 'map')
  t.equal(registry.getMessage('svc.echo.v1.EchoResponse')?.field.instanceId?.jsonName, 'instanceId')
})
