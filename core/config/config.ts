/**
 * The effective configuration of the core, as read by its services and the plugins. Variables of plugins are not part
 * of it.
 */
import type { LogLevel } from './log-level.ts'
import type { Budgets } from '../contract/budgets.ts'
import type { PlanLimits, PlanName } from './plans.ts'

export type ControlAuth = 'open' | 'token' | 'jwt'
export type LogFormat = 'text' | 'json'

/** All values are validated, defaults are filled in, and nothing changes while the process runs. */
export interface Config {
  /** Configured ports; 0 picks a free port. */
  httpPort: number
  httpsPort: number
  grpcPort: number
  /** Whether the port of a listener is set: a default may be replaced by another port. */
  portsSet: Record<'http' | 'https' | 'grpc', boolean>
  /** Bind address, IPv6 without brackets. */
  host: string
  logLevel: LogLevel
  logFormat: LogFormat
  instanceId: string
  /** As given; null if not set. */
  gitSha: string | null
  /** Seconds until response headers must be sent; 0: no limit. */
  requestTimeoutSecs: number
  /** Bytes. */
  bodyLimit: number
  trustForward: boolean
  /** Of the listeners of the process. */
  proxyProtocol: ProxyModes
  /** Addresses and CIDR blocks whose PROXY protocol header is believed; null: not set. */
  proxyProtocolFrom: string[] | null
  /** Path prefix of the service, without a trailing slash; null: none. */
  basePath: string | null
  /** Whether responses use undocumented members of Node (`core/http/node-internals/`). */
  fastPaths: boolean
  /** Paths as given, relative to the working directory. */
  tlsCert: string
  tlsKey: string
  /** Header in which a gateway forwards the client certificate, in the case given. */
  mtlsInHeader: string | null
  publicMode: boolean
  /** Whether requests leave no trace but counts: nothing captured, no access log. */
  loadMode: boolean
  hostedMode: boolean
  grpcOnHttp: boolean
  adminToken: string | null
  /** `['*']`, the allowed origins without trailing slash, or `[]`: no CORS at all. */
  corsOrigins: string[]
  /** True if the user, not the default, set the origins to `*`. */
  isCorsAnyByUser: boolean
  /** Host names of this instance, lower case; empty: not set. */
  hosts: string[]
  inspectorCapacity: number
  controlAuth: ControlAuth
  /** The text as given; it is parsed where tokens are verified. */
  controlJwtPublicKey: string | null
  controlJwtAudience: string
  /** `SVC_CONFIG_FILE` as given. */
  configFile: string | null
  /** Paths as given, relative to the working directory. */
  pluginDirs: string[]
  /** Whether changes on disk trigger a reload. */
  watch: boolean
  /** Longest delay that a request can ask for, in milliseconds. */
  maxDelayMs: number
  budgets: Budgets
  plan: {
    /** The plan name as shown; the limiter is off if `active` is false. */
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
    /** Daily quota of keys that do not set their own; null: unlimited. */
    dailyRequests: number | null
    /** `redis://` or `rediss://` URL. */
    quotaStore: string | null
  }
  /** Whether the process stops when its standard input ends. */
  parentPipe: boolean
  /** Processes behind one set of ports. */
  workers: number
  stateStore: {
    /** `redis://`, `rediss://` or `unix://` URL, or `local`; null: state is in the memory of the process. */
    url: string | null
    password: string | null
    /** Begins every key and channel. */
    prefix: string
    /** Path of a PEM file. */
    ca: string | null
    isCluster: boolean
    timeoutMs: number
    /** Encrypts secret values. */
    secret: string | null
  }
}

/** Modes of the PROXY protocol by listener. */
export type ProxyModes = Record<'http' | 'https' | 'grpc', 'off' | 'optional' | 'strict'>

type Leaf = string | number | boolean | null | string[] | ProxyModes

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
