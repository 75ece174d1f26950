/** `grpc.testing.TestService`, the server side of gRPC's interoperability tests. */
import {
  Metadata,
  status,
  type ServerDuplexStream,
  type ServerReadableStream,
  type ServerWritableStream,
} from '@grpc/grpc-js'
import type { CallWriter } from '../../grpc/types.ts'
import type { LoadReport, OrcaReports } from '../../orca/types.ts'
import {
  type CallContext,
  eachMessage,
  hostnameOf,
  invalidArgument,
  type Methods,
  pause,
  replies,
  requestOf,
  StatusError,
  streams,
  type UnaryCall,
} from '../call.ts'

/** Fields that a client leaves out are undefined. */
interface Payload {
  body?: Buffer
}
interface Flag {
  value?: boolean
}
interface EchoStatus {
  code?: number
  message?: string
}
interface SimpleRequest {
  response_size?: number
  response_status?: EchoStatus
  expect_compressed?: Flag
  fill_server_id?: boolean
  orca_per_query_report?: TestReport
}
interface InputRequest {
  payload?: Payload
  expect_compressed?: Flag
}
interface OutputParameters {
  size?: number
  interval_us?: number
}
interface OutputRequest {
  response_parameters?: OutputParameters[]
  response_status?: EchoStatus
  orca_oob_report?: TestReport
}
/** Map fields are lists of entries for the library. */
type Entries = { key?: string; value?: number }[]
interface TestReport {
  cpu_utilization?: number
  memory_utilization?: number
  request_cost?: Entries
  utilization?: Entries
}

/** Bytes of the payloads of responses. */
interface Bounds {
  messageBytes: number
  callBytes: number
}
const BOUNDS: Record<'normal' | 'public', Bounds> = {
  normal: { messageBytes: 4 * 1024 * 1024, callBytes: 64 * 1024 * 1024 },
  public: { messageBytes: 64 * 1024, callBytes: 1024 * 1024 },
}
const MAX_MESSAGES = 10_000
const MAX_CODE = 16

const ECHO_INITIAL = 'x-grpc-test-echo-initial'
const ECHO_TRAILING = 'x-grpc-test-echo-trailing-bin'

export function testServiceMethods(context: CallContext): Methods {
  const { svc, grpc } = context
  const { messageBytes } = boundsOf(context)

  return {
    EmptyCall: replies(() => ({})),

    UnaryCall: replies<UnaryCall<SimpleRequest>>((call, trailers) => {
      echoMetadata(call, trailers)
      const {
        response_size: size = 0,
        response_status,
        expect_compressed,
        fill_server_id,
        orca_per_query_report,
      } = call.request
      checkCompression(call, expect_compressed)
      const orca = svc.use('orca.reports')
      if (orca !== undefined && orca_per_query_report !== undefined)
        trailers.set(...orca.trailer(checked(orca, orca_per_query_report)))
      endWith(response_status, trailers)
      checkSize(size, messageBytes)
      svc.budgets.output(requestOf(context, call)).take(size)
      return {
        ...(size === 0 ? {} : { payload: { body: Buffer.alloc(size) } }),
        ...(fill_server_id === true ? { server_id: svc.instance.id } : {}),
        hostname: hostnameOf(svc),
      }
    }),

    StreamingOutputCall: streams<ServerWritableStream<OutputRequest, object>>(context, async (call, writer) => {
      await setOutOfBand(call, call.request)
      endWith(call.request.response_status)
      await new Output(context, call, writer).send(call.request.response_parameters)
    }),

    StreamingInputCall: replies<ServerReadableStream<InputRequest, object>>(async call => {
      let size = 0
      await eachMessage(call, ({ payload, expect_compressed }) => {
        checkCompression(call, expect_compressed)
        size += payload?.body?.length ?? 0
        // The field has 32 bits.
        if (size > 0x7fff_ffff) throw new StatusError(status.RESOURCE_EXHAUSTED, 'the payloads are too large in all')
      })
      return { aggregated_payload_size: size }
    }),

    FullDuplexCall: streams<ServerDuplexStream<OutputRequest, object>>(context, async (call, writer, trailers) => {
      echoMetadata(call, trailers)
      const output = new Output(context, call, writer)
      await eachMessage(call, async request => {
        const { response_status, response_parameters } = request
        grpc.wasCompressed(call)
        await setOutOfBand(call, request)
        endWith(response_status, trailers)
        await output.send(response_parameters)
      })
    }),

    HalfDuplexCall: streams<ServerDuplexStream<OutputRequest, object>>(context, async (call, writer) => {
      const output = new Output(context, call, writer)
      const wanted: OutputParameters[] = []
      await eachMessage(call, ({ response_status, response_parameters = [] }) => {
        grpc.wasCompressed(call)
        endWith(response_status)
        output.require(response_parameters)
        wanted.push(...response_parameters)
      })
      await output.sendRequired(wanted)
    }),
  }

  async function setOutOfBand(call: { metadata: Metadata }, { orca_oob_report: report }: OutputRequest): Promise<void> {
    const orca = svc.use('orca.reports')
    if (orca !== undefined && report !== undefined)
      await orca.setOutOfBand(requestOf(context, call), checked(orca, report))
  }

  /** Throws if the next message is compressed and should not be, or the reverse. */
  function checkCompression(call: { metadata: Metadata }, expected: Flag | undefined): void {
    const isCompressed = grpc.wasCompressed(call)
    if (expected === undefined || (expected.value ?? false) === isCompressed) return
    throw invalidArgument(
      isCompressed ? 'the message is compressed, but should not be' : 'the message is not compressed, but should be',
    )
  }
}

/** The messages that a call sends, counted before they are made. */
class Output {
  readonly #context: CallContext
  readonly #call: { metadata: Metadata }
  readonly #writer: CallWriter
  readonly #bounds: Bounds
  #messages = 0
  #bytes = 0

  constructor(context: CallContext, call: { metadata: Metadata }, writer: CallWriter) {
    this.#context = context
    this.#call = call
    this.#writer = writer
    this.#bounds = boundsOf(context)
  }

  /** Throws if one of the messages is too large, or together they exceed what a call may send. */
  require(parameters: readonly OutputParameters[]): void {
    const { messageBytes, callBytes } = this.#bounds
    for (const { size = 0 } of parameters) {
      checkSize(size, messageBytes)
      this.#bytes += size
    }
    this.#messages += parameters.length
    if (this.#messages > MAX_MESSAGES || this.#bytes > callBytes)
      throw new StatusError(
        status.RESOURCE_EXHAUSTED,
        `the responses are too many or too large: at most ${MAX_MESSAGES} messages and ${callBytes} bytes in a call`,
      )
  }

  async send(parameters: readonly OutputParameters[] = []): Promise<void> {
    this.require(parameters)
    await this.sendRequired(parameters)
  }

  async sendRequired(parameters: readonly OutputParameters[]): Promise<void> {
    for (const { size = 0, interval_us = 0 } of parameters) {
      await pause(this.#context, this.#call, interval_us / 1000)
      if (!(await this.#writer.write({ payload: { body: Buffer.alloc(size) } }))) return
    }
  }
}

function boundsOf({ svc }: CallContext): Bounds {
  return svc.config.publicMode ? BOUNDS.public : BOUNDS.normal
}

/** Throws if a value can't be reported. */
function checked(orca: OrcaReports, report: TestReport): LoadReport {
  try {
    return orca.check(toLoadReport(report))
  } catch (error) {
    throw invalidArgument(String((error as { body?: { details?: string } }).body?.details ?? error))
  }
}

function toLoadReport(report: TestReport): LoadReport {
  const toMap = (entries: Entries = []) => Object.fromEntries(entries.map(({ key = '', value = 0 }) => [key, value]))
  return {
    cpu_utilization: report.cpu_utilization ?? 0,
    mem_utilization: report.memory_utilization ?? 0,
    request_cost: toMap(report.request_cost),
    utilization: toMap(report.utilization),
  }
}

function checkSize(size: number, most: number): void {
  if (size < 0 || size > most) throw invalidArgument(`a response has 0 to ${most} bytes, not ${size}`)
}

/** Ends the call if the client wants another status than OK. */
function endWith(wanted: EchoStatus | undefined, trailers?: Metadata): void {
  const { code = 0, message = '' } = wanted ?? {}
  if (code < 0 || code > MAX_CODE) throw invalidArgument(`response_status.code is 0 to ${MAX_CODE}, not ${code}`)
  if (code !== 0) throw new StatusError(code, message, trailers)
}

/** Sends back the two fields of the case `custom_metadata`. */
function echoMetadata(call: { metadata: Metadata; sendMetadata(metadata: Metadata): void }, trailers: Metadata): void {
  const initial = new Metadata()
  for (const value of call.metadata.get(ECHO_INITIAL)) initial.add(ECHO_INITIAL, value)
  for (const value of call.metadata.get(ECHO_TRAILING)) trailers.add(ECHO_TRAILING, value)
  if (call.metadata.get(ECHO_INITIAL).length > 0) call.sendMetadata(initial)
}
