/** The section `layer4` of svc.yaml. */
import type { JsonSchema, ListenerEntry } from 'svc/plugin'
import { LISTENER_PROPERTIES } from 'svc/toolkit'

export const TCP_MODES = [
  'echo',
  'discard',
  'fixed',
  'hash',
  'info',
  'echo-basic',
  'istio',
  'whoami',
  'raw-headers',
] as const
export type ModeName = (typeof TCP_MODES)[number]
/** Modes without a meaning for datagrams. */
export const TCP_ONLY_MODES: readonly ModeName[] = ['raw-headers']
/** UDP modes of public mode: they answer at most what they get. */
export const PUBLIC_UDP_MODES: readonly ModeName[] = ['echo', 'discard']

export const MAX_TEXT = 65_536
export const GIB = 1_073_741_824

/** How what is sent goes out in pieces. */
export interface Drip {
  bytes: number
  interval_ms: number
}

/** The keys that `PUT /_svc/layer4/{name}` overrides. */
export interface Faults {
  abort?: string
  delay_ms?: number
  drip?: Drip
}

export interface ListenerOptions extends ListenerEntry, Faults {
  transport: 'tcp' | 'udp'
  mode: ModeName
  text?: string
  banner?: string | true
  max_bytes?: number
  on_fin?: 'finish' | 'close' | 'stay'
  idle_ms?: number
  lifetime_ms?: number
  directives?: boolean
  tls_port_of?: string
  /** Lines of the mode `istio`. */
  version?: string
  cluster?: string
  istio_version?: string
  namespace?: string
}

export interface Layer4Options {
  listeners: ListenerOptions[]
}

/** Keys that only connections have. */
export const TCP_ONLY_KEYS = [
  'tls',
  'banner',
  'drip',
  'abort',
  'max_bytes',
  'on_fin',
  'idle_ms',
  'lifetime_ms',
  'tls_port_of',
] as const satisfies readonly (keyof ListenerOptions)[]

export const DRIP: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['bytes', 'interval_ms'],
  properties: {
    bytes: { type: 'integer', minimum: 1, maximum: MAX_TEXT },
    interval_ms: { type: 'integer', minimum: 1, maximum: 60_000 },
  },
  description: 'What is sent goes out in pieces of `bytes`, one every `interval_ms`.',
}
export const ABORT: JsonSchema = {
  type: 'string',
  pattern: '^(?:reset|close|hang|half)(?::[0-9]{1,10})?$',
  examples: ['reset:100'],
  description:
    'How connections break, at once or after a number of received bytes (`reset:100`): RST; FIN and no more; no answer at all; FIN at once, and reads on.',
}
export const DELAY: JsonSchema = {
  type: 'integer',
  minimum: 0,
  maximum: 3_600_000,
  description: 'Milliseconds before the first byte is sent. The delay limit applies.',
}

const LINE = { type: 'string', maxLength: 200, pattern: '^[^\\r\\n]*$' }

export const schema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    listeners: {
      type: 'array',
      default: [],
      maxItems: 64,
      description: 'Ports for TCP, TLS and UDP.',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['port'],
        properties: {
          ...LISTENER_PROPERTIES,
          transport: { enum: ['tcp', 'udp'], default: 'tcp', description: 'The transport. Default: `tcp`.' },
          mode: { enum: [...TCP_MODES], default: 'echo', description: 'What is answered. Default: `echo`.' },
          text: {
            type: 'string',
            maxLength: MAX_TEXT,
            description: 'The bytes of `fixed`; the name in `whoami`.',
          },
          banner: {
            anyOf: [{ type: 'string', maxLength: MAX_TEXT }, { const: true }],
            description: 'Text that is sent first; `true`: that of the mode, `istio` or `whoami`.',
          },
          delay_ms: DELAY,
          drip: DRIP,
          abort: ABORT,
          max_bytes: {
            type: 'integer',
            minimum: 1,
            maximum: GIB,
            description: 'Received bytes after which the connection is closed. Default: 1 GiB, in public mode 1 MiB.',
          },
          on_fin: {
            enum: ['finish', 'close', 'stay'],
            description:
              'What follows the end of the client: what is pending and FIN, RST, or nothing until `idle_ms`. Default: `finish`.',
          },
          idle_ms: {
            type: 'integer',
            minimum: 10,
            maximum: 3_600_000,
            description: 'Milliseconds without a byte after which the connection is closed. Default: 300000.',
          },
          lifetime_ms: {
            type: 'integer',
            minimum: 10,
            maximum: 3_600_000,
            description: 'Milliseconds after which the connection is closed. Default: 3600000.',
          },
          directives: {
            type: 'boolean',
            description:
              'Whether a first line `SVC …` steers the connection. Default: true, false in modes of other projects.',
          },
          tls_port_of: {
            type: 'string',
            maxLength: 32,
            description: 'Mode `echo-basic`: name of the listener without TLS whose port is shown as `tcpport`.',
          },
          version: { ...LINE, description: 'Mode `istio`: `ServiceVersion`.' },
          cluster: { ...LINE, description: 'Mode `istio`: `Cluster`.' },
          istio_version: { ...LINE, description: 'Mode `istio`: `IstioVersion`.' },
          namespace: { ...LINE, description: 'Mode `istio`: `Namespace`.' },
        },
      },
    },
  },
}

/** Modes whose clients know no directives. */
const FOREIGN: readonly ModeName[] = ['echo-basic', 'istio', 'whoami', 'raw-headers']

export function takesDirectives({ directives, mode }: ListenerOptions): boolean {
  return directives ?? !FOREIGN.includes(mode)
}
