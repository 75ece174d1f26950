/**
 * Server reflection, v1 and v1alpha (grpc/reflection/v1/reflection.proto): the service of the library over the files
 * written by the compiler. Descriptors derived by the loader have generated names that strict clients reject.
 */
import {
  status,
  type Server,
  type ServerDuplexStream,
  type ServiceDefinition,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js'
import { ReflectionService } from '@grpc/reflection'
import { filesOf, messageNames, nameOf } from './descriptor-files.ts'

/** A version of the reflection service. */
export interface Reflection {
  service: ServiceDefinition
  implementation: UntypedServiceImplementation
}

interface Request {
  /** Which `message_request` member is set; undefined if none is. */
  messageRequest?: string
  allExtensionNumbersOfType?: string
}
interface Response {
  validHost: string
  originalRequest: Request
  listServicesResponse?: { service: { name: string }[] }
  fileDescriptorResponse?: { fileDescriptorProto: Uint8Array[] }
  allExtensionNumbersResponse?: { baseTypeName: string; extensionNumber: number[] }
  errorResponse?: { errorCode: number; errorMessage: string }
}
type Call = ServerDuplexStream<Request, Response>

const METHOD = 'ServerReflectionInfo'

/**
 * Adds both versions to the server. `reflections` is called with the first call of one of them: it takes longer than loading all other
 * services, and most instances never get one.
 */
export function addReflection(server: Server, reflections: () => Reflection[]): void {
  for (const version of ['v1', 'v1alpha']) {
    const path = `/grpc.reflection.${version}.ServerReflection/${METHOD}`
    const find = (): Reflection => reflections().find(({ service }) => service[METHOD]!.path === path)!
    server.addService(
      {
        [METHOD]: {
          path,
          requestStream: true,
          responseStream: true,
          requestSerialize: (message: object) => find().service[METHOD]!.requestSerialize(message),
          requestDeserialize: bytes => find().service[METHOD]!.requestDeserialize(bytes),
          responseSerialize: (message: object) => find().service[METHOD]!.responseSerialize(message),
          responseDeserialize: bytes => find().service[METHOD]!.responseDeserialize(bytes),
        },
      },
      { [METHOD]: (call: Call) => (find().implementation[METHOD] as (call: Call) => void)(call) },
    )
  }
}

/** Creates both versions for the files of all sets. A file that several sets contain is that of the first. */
export function createReflection(descriptorSets: readonly Buffer[]): Reflection[] {
  const files = new Map<string, Buffer>()
  for (const file of descriptorSets.flatMap(filesOf)) if (!files.has(nameOf(file))) files.set(nameOf(file), file)
  const messages = new Set(descriptorSets.flatMap(messageNames))
  // The library reads only the files of a definition.
  const library = new ReflectionService({
    any: {
      format: 'Protocol Buffer 3 EnumDescriptorProto',
      type: {},
      fileDescriptorProtos: [...files.values()],
    },
  })
  const versions: Reflection[] = []
  library.addToServer({
    addService(service, { ServerReflectionInfo: handler }) {
      versions.push({
        service,
        implementation: {
          [METHOD]: (call: Call) => (handler as (call: Call) => void)(withCorrections(call, messages)),
        },
      })
    },
  })
  return versions
}

/** Wraps the call to correct its responses; reading pauses while the client does not read responses. */
function withCorrections(call: Call, messages: ReadonlySet<string>): Call {
  const write = call.write.bind(call) as (response: Response) => boolean
  call.write = (response: Response) => {
    const canContinue = write(correct(response, messages))
    if (!canContinue) {
      call.pause()
      call.once('drain', () => call.resume())
    }
    return canContinue
  }
  return call
}

/**
 * Corrects the library where it deviates from the protocol: a request without a `message_request` is an invalid argument,
 * a message without extensions has an empty list, and names that objects inherit are unknown symbols. Services are
 * sorted by name.
 */
function correct(response: Response, messages: ReadonlySet<string>): Response {
  const { validHost, originalRequest, listServicesResponse, fileDescriptorResponse } = response
  const refuse = (errorCode: status, errorMessage: string): Response => ({
    validHost,
    originalRequest,
    errorResponse: { errorCode, errorMessage },
  })
  if (originalRequest.messageRequest === undefined) return refuse(status.INVALID_ARGUMENT, 'message_request is not set')
  if (originalRequest.messageRequest === 'allExtensionNumbersOfType') {
    const baseTypeName = originalRequest.allExtensionNumbersOfType ?? ''
    if (!messages.has(baseTypeName)) return refuse(status.NOT_FOUND, 'unknown message type')
    return {
      validHost,
      originalRequest,
      allExtensionNumbersResponse: response.allExtensionNumbersResponse ?? { baseTypeName, extensionNumber: [] },
    }
  }
  if (fileDescriptorResponse?.fileDescriptorProto.some(({ length }) => length === 0))
    return refuse(status.NOT_FOUND, 'unknown symbol')
  if (listServicesResponse === undefined) return response
  return {
    ...response,
    listServicesResponse: { service: listServicesResponse.service.toSorted((a, b) => (a.name < b.name ? -1 : 1)) },
  }
}
