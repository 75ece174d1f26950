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
      /** A value, or a test. */
      not?: JsonValue
      /** Values or tests, of which one must hold, or all. */
      any?: readonly JsonValue[]
      all?: readonly JsonValue[]
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
      /** A whole number that divides the value. */
      multiple_of?: number
      /** A JSON Schema, 2020-12 or draft 7. */
      schema?: JsonValue
      /** Of names with several values: each of these is passed by some value. */
      some_values?: readonly JsonValue[]
      /** As many values as tests, each passed by another. */
      all_values?: readonly JsonValue[]
      ignore_case?: boolean
    }

/** Conditions, joined by and. */
export interface Match {
  method?: ValueTest | readonly string[]
  /**
   * `{name}` and `*` are one segment, or a part of one; `**` is any number of segments. Or a test of the decoded path, whose named
   * groups are captured.
   */
  path?: string | Extract<ValueTest, object>
  /** By the name of what the path captures. */
  path_params?: Readonly<Record<string, ValueTest>>
  /** Path and query as received. */
  url?: ValueTest
  scheme?: 'http' | 'https'
  host?: ValueTest
  header?: Readonly<Record<string, ValueTest>>
  query?: Readonly<Record<string, ValueTest>>
  cookie?: Readonly<Record<string, ValueTest>>
  body?: ValueTest
  body_base64?: string
  /** By the name of a field of a urlencoded body, or of a text part of a multipart one. */
  form?: Readonly<Record<string, ValueTest>>
  /** By JSON pointer or JSONPath. */
  json?: Readonly<Record<string, ValueTest>>
  like?: JsonValue
  json_equals?: { value: JsonValue; any_order?: boolean; extra?: boolean }
  /** 2020-12 or draft 7. */
  json_schema?: JsonValue
  /** One of these matches holds; none of them does. */
  any?: readonly Match[]
  none?: readonly Match[]
  /** By the name of a scenario; in rules only. */
  scenario?: Readonly<Record<string, ValueTest>>
  session?: ValueTest
  client_ip?: ValueTest
  /** Conditions of protocols: `rpc`, and those that plugins add. */
  [protocol: string]: JsonValue | readonly Match[] | undefined
}

/** A list of values is a line each; a list of names and values keeps its order, and case over HTTP/1.1. */
export type RespondHeaders =
  | Readonly<Record<string, string | readonly string[]>>
  | readonly (readonly [string, string])[]

export interface Step {
  delay?: number | { readonly [distribution: string]: JsonValue }
  fail?: number | string
  message?: string
  type?: string
  code?: string
  retry_after?: number
  abort?: 'reset' | 'close' | 'empty' | 'truncate' | 'bad-chunk' | 'garbage'
  respond?: {
    status?: number
    headers?: RespondHeaders
    body?: JsonValue
    body_base64?: string
    /** A file below the folder of the file with the rule; not in rules that are stored over HTTP. */
    body_file?: string
    /** Bytes of a body of the letters a to z. */
    size?: number
    /** Null: no field. */
    content_type?: string | null
    /** Fields after the body. */
    trailers?: Readonly<Record<string, string | readonly string[]>>
    /** Sent before the response: 102, 103 or 104. */
    interim?: readonly { status: number; headers?: RespondHeaders }[]
    reason?: string
    chunks?: readonly { readonly [key: string]: JsonValue }[]
    template?: boolean
  }
  /** The content coding of the response, such as `br`; as in `X-Svc-Encoding`. */
  encoding?: string
  reply?: { readonly [key: string]: JsonValue }
  /** Requests that are sent after the response. */
  notify?: readonly {
    method?: string
    /** A path of this instance, or the URL of an allowed host. */
    url: string
    headers?: Readonly<Record<string, string | readonly string[]>>
    body?: JsonValue
    delay?: number | { readonly [distribution: string]: JsonValue }
  }[]
  /** New states of scenarios. */
  scenario?: Readonly<Record<string, string>>
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
