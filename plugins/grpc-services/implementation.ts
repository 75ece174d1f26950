/** Opens a service: its definition, its methods and its descriptor set. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ServiceDefinition } from '@grpc/grpc-js'
import type { GrpcDefinitions, GrpcImplementation, GrpcServices } from '../grpc/types.ts'
import type { CallContext, Methods, ServiceSvc } from './call.ts'
import { SERVICES } from './catalog.ts'
import { addMethods } from './services/add.ts'
import { greeterMethods } from './services/greeter.ts'
import { grpcEchoMethods } from './services/grpc-echo.ts'
import { grpcbinMethods } from './services/grpcbin.ts'
import { helloMethods } from './services/hello.ts'
import { istioEchoMethods } from './services/istio-echo.ts'
import { pingMethods } from './services/ping.ts'
import { testServiceMethods } from './services/test-service.ts'
import { whoamiMethods } from './services/whoami.ts'

const METHODS: Readonly<Record<string, (context: CallContext, definition: ServiceDefinition) => Methods>> = {
  'grpc.testing.TestService': testServiceMethods,
  'gateway_api_conformance.echo_basic.grpcecho.GrpcEcho': grpcEchoMethods,
  'helloworld.Greeter': greeterMethods,
  'grpcbin.GRPCBin': grpcbinMethods,
  'hello.HelloService': helloMethods,
  'addsvc.Add': addMethods,
  'proto.EchoTestService': istioEchoMethods,
  'fgrpc.PingServer': pingMethods,
  'whoami.Whoami': whoamiMethods,
}

export async function openService(svc: ServiceSvc, name: string): Promise<GrpcImplementation> {
  const grpc = svc.use('grpc.services')!
  const { sets, definitions } = await svc.shared('definitions', () => readSets(svc.folder, grpc))
  const { file } = SERVICES.find(service => service.name === name)!
  const definition = definitions.service(name)
  return { definition, handlers: METHODS[name]!({ svc, grpc }, definition), reflection: sets.get(file)! }
}

/** Reads all sets, by file, as one, because each reading takes a while. A field that is absent from a message is undefined. */
async function readSets(
  folder: string,
  grpc: GrpcServices,
): Promise<{ sets: ReadonlyMap<string, Buffer>; definitions: GrpcDefinitions }> {
  const sets = new Map(
    SERVICES.map(({ file }) => [file, readFileSync(join(folder, '..', '..', 'proto', 'services', `${file}.binpb`))]),
  )
  // A FileDescriptorSet has one repeated field: sets in a row are one set.
  const all = Buffer.concat([...sets.values()])
  return { sets, definitions: await grpc.definitions(all, { keepCase: true, longs: String, enums: String }) }
}
