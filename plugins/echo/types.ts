/** The echo record, and the extension point through which other plugins send it. */
import type { FastifyRequest, ProxyHeader } from 'svc/plugin'

/** A request as received. */
export interface EchoRecord {
  method: string
  /** Absolute URL without the default port; path and query as received. */
  url: string
  path: string
  /** Path segments as received, without empty ones. */
  path_info: string[]
  /** As received, without `?`. */
  query_string: string
  /** Form-decoded; repeated keys are arrays. */
  query_params: Record<string, string | string[]>
  /** Lower-case names, each with one value per received line. */
  headers: Record<string, string[]>
  host: string
  port: number
  scheme: 'http' | 'https'
  remote_ip: string
  /** The PROXY protocol header of the connection; absent without one. */
  proxy_protocol?: ProxyHeader
  body: EchoBody
  /** Fields after the body, by lower-case name; absent if there are none. */
  trailers?: Record<string, string[]>
  timestamp_unix_ms: number
}

export interface EchoBody {
  present: boolean
  /** Whether `body` contains the text; false for binary bodies. */
  included: boolean
  body: string | null
  bytes: number
  truncated: boolean
  utf8: boolean | null
  reason: 'binary' | null
}

export type Recorder = (request: FastifyRequest) => EchoRecord

declare module 'svc/plugin' {
  interface ExtensionPoints {
    'echo.record': Recorder
  }
}
