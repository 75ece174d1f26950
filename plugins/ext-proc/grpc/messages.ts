/** The messages of `envoy.service.ext_proc.v3`, as the loader gives and takes them. */
import type { JsonObject } from 'svc/plugin'
import type { BodyMode, Part, Phase, Side } from '../phase.ts'

export interface HeaderValue {
  key: string
  value?: string
  raw_value?: Buffer
}

interface HeaderMap {
  headers: HeaderValue[]
}

/** Members of `google.protobuf.Value` that are read. */
interface StructValue {
  string_value?: string
  list_value?: { values: StructValue[] } | null
}

interface Struct {
  fields: { key: string; value?: StructValue | null }[]
}

export interface HttpBody {
  body: Buffer
  end_of_stream: boolean
  end_of_stream_without_message: boolean
  grpc_message_compressed: boolean
}

export interface ProcessingRequest {
  /** Which of the members is set. */
  request?: Phase
  request_headers?: { headers?: HeaderMap | null; end_of_stream: boolean } | null
  response_headers?: { headers?: HeaderMap | null; end_of_stream: boolean } | null
  request_body?: HttpBody | null
  response_body?: HttpBody | null
  request_trailers?: { trailers?: HeaderMap | null } | null
  response_trailers?: { trailers?: HeaderMap | null } | null
  metadata_context?: { filter_metadata: { key: string; value?: Struct | null }[] } | null
  attributes: { key: string; value?: Struct | null }[]
  observability_mode: boolean
  protocol_config?: { request_body_mode: BodyMode; response_body_mode: BodyMode } | null
}

export type ProcessingResponse = JsonObject | object

export function sideOf(phase: Phase): Side {
  return phase.startsWith('request') ? 'request' : 'response'
}

export function partOf(phase: Phase): Part {
  return phase.slice(phase.indexOf('_') + 1) as Part
}

/** Names and values, alternating; values are ISO 8859-1. */
export function rawHeadersOf(map: HeaderMap | null | undefined): string[] {
  return (map?.headers ?? []).flatMap(({ key, value, raw_value: raw }) => [
    key,
    raw !== undefined && raw.length > 0 ? raw.toString('latin1') : (value ?? ''),
  ])
}

/** Texts of a field of metadata. An empty key asks only for the namespace. Undefined without it. */
export function metadataOf(
  { metadata_context: context }: Pick<ProcessingRequest, 'metadata_context'>,
  namespace: string,
  key: string,
): string[] | undefined {
  const struct = context?.filter_metadata.find(entry => entry.key === namespace)?.value
  if (struct == null) return undefined
  return key === '' ? [] : textsIn(struct, key)
}

/** The address of the client, where the gateway sends it as an attribute. */
export function clientAddress({ attributes }: Pick<ProcessingRequest, 'attributes'>): string | undefined {
  for (const { value } of attributes) {
    const [address] = (value == null ? undefined : textsIn(value, 'source.address')) ?? []
    if (address !== undefined) return address.replace(/:\d+$/, '')
  }
  return undefined
}

function textsIn({ fields }: Struct, key: string): string[] | undefined {
  const value = fields.find(field => field.key === key)?.value
  if (value == null) return undefined
  if (typeof value.string_value === 'string') return [value.string_value]
  return (value.list_value?.values ?? []).flatMap(({ string_value: text }) => (typeof text === 'string' ? [text] : []))
}
