/** The core's effective configuration, as its services and the plugins read it; variables of plugins are their own. */
import type { LogLevel } from './log-level.ts'
import type { PlanLimits, PlanName } from './plans.ts'

export type ControlAuth = 'open' | 'token' | 'jwt'
export type LogFormat = 'text' | 'json'

/** Every value is checked, defaults are filled in, and nothing changes while the process runs. */
export interface Config {
  /** Configured ports; 0 takes a free one. */
  httpPort: number
  httpsPort: number
  grpcPort: number
  /** Bind address, IPv6 without brackets. */
  host: string
  logLevel: LogLevel
  logFormat: LogFormat
  instanceId: string
  /** As given; null: not given. */
  gitSha: string | null
  /** Seconds until response headers must be out; 0: no limit. */
  requestTimeoutSecs: number
  /** Bytes. */
  bodyLimit: number
  trustForward: boolean
  /** Path in front of all paths of the service, without a trailing slash; null: none. */
  basePath: string | null
  /** Whether responses use undocumented members of Node (`core/http/node-internals/`). */
  fastPaths: boolean
  /** Paths as given, relative to the working directory. */
  tlsCert: string
  tlsKey: string
  /** Header in which a gateway forwards the client certificate, in the case given. */
  mtlsInHeader: string | null
  publicMode: boolean
  hostedMode: boolean
  grpcOnHttp: boolean
  adminToken: string | null
  /** `['*']`, the allowed origins without trailing slash, or `[]`: no CORS at all. */
  corsOrigins: string[]
  /** The user, not the default, set the origins to `*`. */
  isCorsAnyByUser: boolean
  /** Names under which this instance is reached, lower case; empty: not set. */
  hosts: string[]
  inspectorCapacity: number
  controlAuth: ControlAuth
  /** Text as given; its key is read where tokens are verified. */
  controlJwtPublicKey: string | null
  controlJwtAudience: string
  /** `SVC_CONFIG_FILE` as given. */
  configFile: string | null
  /** Paths as given, relative to the working directory. */
  pluginDirs: string[]
  /** Whether changes on disk reload. */
  watch: boolean
  /** Longest wait that a request can ask for, in milliseconds. */
  maxDelayMs: number
  plan: {
    /** As shown; the limiter is off when `active` is false. */
    name: PlanName
    active: boolean
    limits: PlanLimits
  }
  /** Path as given. */
  usageFile: string | null
  shared: {
    enabled: boolean
    requireKey: boolean
    /** Path or http(s) URL; null: the open registry. */
    registry: string | null
    registryToken: string | null
    registrySecs: number
    /** Daily quota of a key without its own; null: none. */
    dailyRequests: number | null
    /** `redis://` or `rediss://` URL. */
    quotaStore: string | null
  }
}

type Leaf = string | number | boolean | null | string[]

/** Dotted path of a value in the configuration: `shared.registrySecs`. */
export type Field<T = Config, Prefix extends string = ''> = {
  [K in keyof T & string]: T[K] extends Leaf ? `${Prefix}${K}` : Field<T[K], `${Prefix}${K}.`>
}[keyof T & string]

/** Type of the value at a dotted path. */
export type ValueAt<Path extends string, T = Config> = Path extends `${infer Head}.${infer Rest}`
  ? Head extends keyof T
    ? ValueAt<Rest, T[Head]>
    : never
  : Path extends keyof T
    ? T[Path]
    : never
