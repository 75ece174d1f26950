/** The external processing of the toy gateway, with whole bodies. */
import { readFileSync } from 'node:fs'
import { Client, type ClientDuplexStream, credentials, Metadata, type ServiceDefinition } from '@grpc/grpc-js'
import { loadFileDescriptorSetFromBuffer } from '@grpc/proto-loader'
import { EXT_PROC_DESCRIPTOR_SET } from '../../../proto/compile.ts'
import { withField, type Fields, type Message, type Reply } from './messages.ts'

type Json = Record<string, any>

const { Process } = loadFileDescriptorSetFromBuffer(readFileSync(EXT_PROC_DESCRIPTOR_SET), {
  keepCase: true,
  longs: Number,
  enums: String,
  defaults: false,
  oneofs: true,
})['envoy.service.ext_proc.v3.ExternalProcessor'] as ServiceDefinition
const MODES = { protocol_config: { request_body_mode: 'BUFFERED', response_body_mode: 'BUFFERED' } }

export interface ProcessorFaults {
  ignoresFields?: boolean
  ignoresBodies?: boolean
  ignoresImmediate?: boolean
}

/** The stream about one request. Everything rejects if the processor fails, or does not reply in time. */
export class Processing {
  readonly #client: Client
  readonly #call: ClientDuplexStream<Json, Json>
  readonly #faults: ProcessorFaults

  constructor(
    port: number,
    faults: ProcessorFaults,
    timeoutMs: number,
    metadata: Readonly<Record<string, string>> = {},
  ) {
    this.#faults = faults
    this.#client = new Client(`127.0.0.1:${port}`, credentials.createInsecure())
    const { path, requestSerialize, responseDeserialize } = Process!
    const own = new Metadata()
    for (const [name, value] of Object.entries(metadata)) own.set(name, value)
    this.#call = this.#client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, own, {
      deadline: Date.now() + timeoutMs,
    }) as ClientDuplexStream<Json, Json>
    this.#call.on('error', () => {})
  }

  /** The request to forward, or the answer of the processor. */
  async request({ method, target, fields, body }: Message): Promise<{ forward: Message } | { answer: Reply }> {
    const pseudo: Fields = [
      [':method', method],
      [':path', target],
      [':scheme', 'http'],
      [':authority', 'toy.test'],
    ]
    const headers = { headers: headerMap([...pseudo, ...fields]), end_of_stream: body.length === 0 }
    const result = await this.#side('request', headers, { fields, body }, MODES)
    return 'answer' in result ? result : { forward: { method, target, ...result } }
  }

  async response({ status, fields, body }: Reply): Promise<Reply> {
    const headers = { headers: headerMap([[':status', String(status)], ...fields]), end_of_stream: body.length === 0 }
    const result = await this.#side('response', headers, { fields, body }, {})
    return 'answer' in result ? result.answer : { status, ...result }
  }

  end(): void {
    this.#call.end()
    this.#call.cancel()
    this.#client.close()
  }

  async #side(
    side: 'request' | 'response',
    headers: Json,
    { fields, body }: { fields: Fields; body: Buffer },
    more: Json,
  ): Promise<{ fields: Fields; body: Buffer } | { answer: Reply }> {
    const ofHead = await this.#ask({ [`${side}_headers`]: headers, ...more })
    if ('answer' in ofHead) return ofHead
    const changed = this.#changed(fields, ofHead.common)
    if (body.length === 0) return { fields: changed, body }
    const ofBody = await this.#ask({ [`${side}_body`]: { body, end_of_stream: true } })
    if ('answer' in ofBody) return ofBody
    const own = ofBody.common.body_mutation?.body as Buffer | undefined
    const isChanged = own !== undefined && this.#faults.ignoresBodies !== true
    return { fields: this.#changed(changed, ofBody.common), body: isChanged ? own : body }
  }

  #changed(fields: Fields, common: Json): Fields {
    return this.#faults.ignoresFields === true ? fields : changedFields(fields, common.header_mutation)
  }

  async #ask(message: Json): Promise<{ common: Json } | { answer: Reply }> {
    const answer = await new Promise<Json>((resolve, reject) => {
      this.#call.once('data', resolve)
      this.#call.once('error', reject)
      this.#call.once('end', () => reject(new Error('the stream ended')))
      this.#call.write(message)
    })
    const { immediate_response: immediate, ...others } = answer
    if (immediate == null || this.#faults.ignoresImmediate === true) {
      const [response] = Object.values(others).filter(
        value => typeof value === 'object' && value !== null && 'response' in value,
      )
      return { common: (response as Json | undefined)?.response ?? {} }
    }
    const fields = changedFields([], immediate.headers)
    return { answer: { status: statusOf(immediate.status?.code), fields, body: Buffer.from(immediate.body ?? '') } }
  }
}

function changedFields(fields: Fields, mutation: Json | undefined): Fields {
  const { set_headers: set = [], remove_headers: remove = [] } = mutation ?? {}
  let changed = fields
  for (const name of remove as string[]) changed = withField(changed, name, null)
  for (const { header } of set as { header: { key: string; value?: string; raw_value?: Buffer } }[])
    if (!header.key.startsWith(':'))
      changed = withField(changed, header.key, header.raw_value?.toString('latin1') ?? header.value ?? '')
  return changed
}

/** The enumeration has names and numbers. */
function statusOf(code: unknown): number {
  return code === 'Forbidden' || code === 403 ? 403 : typeof code === 'number' ? code : 500
}

function headerMap(fields: Fields): Json {
  return {
    headers: fields.map(([key, value]) => ({ key: key.toLowerCase(), raw_value: Buffer.from(value, 'latin1') })),
  }
}
