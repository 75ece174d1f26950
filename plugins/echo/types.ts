/** The echo record and the extension point through which other plugins answer with one. */
import type { FastifyRequest } from 'svc/plugin'

/** A request as it arrived. */
export interface EchoRecord {
  method: string
  /** Absolute, the default port left out; path and query as received. */
  url: string
  path: string
  /** Segments as received, empty ones dropped. */
  path_info: string[]
  /** Raw, without `?`. */
  query_string: string
  /** Form-decoded; repeated keys become arrays. */
  query_params: Record<string, string | string[]>
  /** Lower-case name to one value per received line. */
  headers: Record<string, string[]>
  host: string
  port: number
  scheme: 'http' | 'https'
  remote_ip: string
  body: EchoBody
  timestamp_unix_ms: number
}

export interface EchoBody {
  present: boolean
  /** Whether `body` shows it: text does, binary doesn't. */
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
