/** Types of rules and of the requests that match them, for tests in TypeScript. */

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue }

/** A value that must be equal, or tests that must all hold. */
export type ValueTest =
  | string
  | number
  | boolean
  | null
  | {
      equals?: JsonValue
      not?: JsonValue
      /** A text, or a list of texts that must all occur. */
      contains?: JsonValue
      starts_with?: string
      ends_with?: string
      /** RE2 syntax. */
      matches?: string
      in?: readonly JsonValue[]
      exists?: boolean
      gt?: number
      gte?: number
      lt?: number
      lte?: number
      ignore_case?: boolean
    }

/** Conditions, joined by and. */
export interface Match {
  method?: string | readonly string[]
  /** `{name}` and `*` are one segment, `**` is the rest. */
  path?: string
  host?: ValueTest
  header?: Readonly<Record<string, ValueTest>>
  query?: Readonly<Record<string, ValueTest>>
  cookie?: Readonly<Record<string, ValueTest>>
  body?: ValueTest
  /** By JSON pointer or JSONPath. */
  json?: Readonly<Record<string, ValueTest>>
  like?: JsonValue
  session?: ValueTest
  client_ip?: ValueTest
  /** Conditions of protocols: `rpc`, and those that plugins add. */
  [protocol: string]: JsonValue | undefined
}

export interface Step {
  delay?: number | { readonly [distribution: string]: JsonValue }
  fail?: number | string
  message?: string
  type?: string
  code?: string
  retry_after?: number
  abort?: 'reset' | 'close' | 'empty' | 'truncate' | 'bad-chunk'
  respond?: {
    status?: number
    headers?: Readonly<Record<string, string>>
    body?: JsonValue
    body_base64?: string
    content_type?: string
    chunks?: readonly { readonly [key: string]: JsonValue }[]
    template?: boolean
  }
  reply?: { readonly [key: string]: JsonValue }
  pass?: true
  quiet?: boolean
}

export interface Rule {
  name?: string
  match?: Match
  then: Step | readonly (Step & { times?: number | 'always' })[]
  priority?: number
  skip?: number
  every?: number
  sample?: number
  seed?: string
  times?: number
  loop?: boolean
  count?: 'session' | 'instance'
  expires_in_secs?: number
  enabled?: boolean
  description?: string
}

/** A rule as stored, with its state. */
export interface StoredRule extends Rule {
  name: string
  scope: 'session' | 'instance'
  session: string | null
  source: 'api' | 'svc.yaml' | 'fixture'
  file: string | null
  line: number | null
  matches: number
  hits: number
  /** Index of the next step; null without a list. */
  step: number | null
  state: 'active' | 'exhausted' | 'disabled'
  last_hit_at: string | null
  created_at: string
  expires_at: string | null
}
