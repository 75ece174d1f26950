/** Declarations in a plugin definition: environment variables, exempt paths, exposed headers, categories and links. */
import type { Parser } from './parsers.ts'

/**
 * An environment variable of a plugin. It is read when the process starts or when a new version of the definition is
 * loaded, even if the plugin is disabled. An invalid value causes a warning, and the default is used.
 */
export interface VariableDefinition<T = unknown> {
  /** Upper-case letters, digits and underscores. Start it with `SVC_`: unknown variables with this prefix are reported. */
  name: string
  parser: Parser<T>
  /** Value if the variable is unset, empty or invalid. Lists are copied. */
  default: T
  /** Description of the default for the documentation, if the value alone is not clear. */
  defaultText?: string
  /** One sentence for the configuration reference. */
  description: string
  /**
   * Dotted path of the value in `GET /_svc/config`. Default: not shown. If the path ends with `_configured`, only true or
   * false is shown (whether the variable has a value). Secrets can only be shown this way.
   */
  shownAs?: string
  /** Key of the value below the plugin's name in `GET /_svc/status`. Default: not shown. */
  statusAs?: string
  /** The value is never printed. */
  secret?: true
  /** An empty value is a value. Default: it means unset. */
  emptyIsValue?: true
  /**
   * Name of the variable after which this one is listed. Default: the previous variable of the plugin, or the end of the
   * list for the first one.
   */
  after?: string
}

export type VariableDefinitions<Variables> = { [Key in keyof Variables]: VariableDefinition<Variables[Key]> }

/** Types of the values of some variables: `VariableValues<typeof variables>`. */
export type VariableValues<Definitions> = {
  -readonly [Key in keyof Definitions]: Definitions[Key] extends VariableDefinition<infer T> ? T : never
}

/** Returns the definition unchanged; checks at compile time that `default` has the type that `parser` returns. */
export function variable<T>(definition: VariableDefinition<T>): VariableDefinition<T> {
  return definition
}

/** Layers of the core from which a path can be exempt. */
export const EXEMPTIBLE_LAYERS = ['faults', 'limits', 'keys', 'inspector', 'hosts'] as const
/**
 * `faults`: fault headers are ignored. `limits`: requests are neither counted nor rejected by the plan. `keys`: shared
 * mode requires no API key. `inspector`: requests are not captured. `hosts`: the path is also served on hosts that
 * another plugin serves whole (`svc.serveHost`).
 */
export type ExemptibleLayer = (typeof EXEMPTIBLE_LAYERS)[number]

/** A path of the plugin to which some layers of the core do not apply, even while the plugin is disabled. */
export interface Exemption {
  /** Decoded path, equal to or below one of the plugin's `paths`. `{name}` stands for any one segment. */
  path: string
  /** Also exempts all paths below `path`. */
  below?: true
  from: readonly ExemptibleLayer[]
  /** The reason, for reviewers of the plugin. */
  reason: string
}

/**
 * A failure that clients of the plugin know. The routes of the plugin send it when `X-Svc-Fail`, or `fail` of a rule, has its
 * word.
 */
export interface DeclaredFault {
  /** 400 to 599. */
  status: number
  /** The text for people. */
  message: string
  /** The text for programs. Default: the word. */
  code?: string
  headers?: Readonly<Record<string, string>>
  /** The whole body. Default: `{ error, details }` with the code and the message. */
  body?: Readonly<Record<string, unknown>>
}

/** A response header that browsers may read across origins. */
export type ExposedHeader =
  | string
  | {
      name: string
      /** Name of the exposed header before which this one is listed. Default: the order of declaration. */
      before?: string
      /** Exposes the header on all routes, even while the plugin is disabled. */
      always?: true
    }

/** Position of a category in the catalog. */
export interface CategoryDeclaration {
  name: string
  /**
   * Categories are sorted by rank, lowest first. Built-in plugins use 10, 20, …, the core 1000 and more. Categories without
   * a rank come last, sorted by name.
   */
  rank: number
}

/**
 * A path that another server has for something that this plugin serves under a different one. The 404 for it names the
 * path here, so that a client written for the other server is quickly corrected.
 */
export interface FamiliarPath {
  /** Template of the path elsewhere, such as `/v1/orders/{id}`. */
  path: string
  /** Template of the path here, with the same parameters in the same order, such as `/shop/orders/{id}`. */
  here: string
  /**
   * The option, as `<plugin>.<option>`, that makes requests to this path be served by the path here, instead of a 404: it is
   * true, or a list that has `name`. A path that any plugin serves keeps its meaning.
   */
  served?: string
  name?: string
  /** Whether this request is one for this path, if other servers have the same one. Default: every request is. */
  when?(request: FamiliarRequest): boolean
}

/** A request to a familiar path. */
export interface FamiliarRequest {
  method: string
  /** The value of a header by its lower-case name. */
  header(name: string): string | undefined
}

/** What is printed after the start: a page, or a request that is printed as a curl command. Lower ranks come first. */
export type FirstStep = { rank: number } & (
  | PageLink
  | {
      /** Path and query, below one of the plugin's `paths`. */
      path: string
      headers?: readonly { name: string; value: string }[]
      /** Sent with POST. */
      body?: string
    }
)

/** A link in the navigation of the landing page. It is shown while an endpoint at or below its target is enabled. */
export interface PageLink {
  /** Target relative to the landing page, without a leading slash, below one of the plugin's `paths`. */
  href: string
  text: string
}
