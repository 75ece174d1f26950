/** What a plugin definition declares so that the core need not know the plugin: variables, exemptions, names, links. */
import type { Parser } from './parsers.ts'

/**
 * An environment variable of a plugin. It is read when the process starts, or when a new version of the definition is
 * loaded, also while the plugin is disabled. An invalid value never fails: a warning, and the default.
 */
export interface VariableDefinition<T = unknown> {
  /** Upper case with underscores. Unknown variables that begin with `SVC_` are reported. */
  name: string
  parser: Parser<T>
  /** The value when the variable is unset, empty or invalid. Lists are copied. */
  default: T
  /** The default in words, where the value alone does not say it. */
  defaultText?: string
  /** One sentence, for the configuration reference. */
  description: string
  /**
   * Dotted path in `GET /_svc/config`; absent: not shown. Under a name that ends in `_configured` only whether there is
   * a value is shown, which is the one way to show a secret.
   */
  shownAs?: string
  /** Key below the plugin's name in `GET /_svc/status`. */
  statusAs?: string
  /** Its value is never printed. */
  secret?: true
  /** The empty value is a value, not "unset". */
  emptyIsValue?: true
  /**
   * Name of the variable behind which it is listed and shown. Default: the one declared before it; the first one of a
   * plugin: behind all others.
   */
  after?: string
}

export type VariableDefinitions<Variables> = { [Key in keyof Variables]: VariableDefinition<Variables[Key]> }

/** Types of the values: `VariableValues<typeof variables>`. */
export type VariableValues<Definitions> = {
  -readonly [Key in keyof Definitions]: Definitions[Key] extends VariableDefinition<infer T> ? T : never
}

/** Checks the default of a variable against its parser, where it is declared apart from the definition. */
export function variable<T>(definition: VariableDefinition<T>): VariableDefinition<T> {
  return definition
}

/** Layers of the core from which a path can be exempt. */
export const EXEMPTIBLE_LAYERS = ['faults', 'limits', 'keys', 'inspector'] as const
/**
 * `faults`: fault headers are ignored. `limits`: the plan neither counts nor refuses. `keys`: shared mode asks for no API
 * key. `inspector`: requests are not captured.
 */
export type ExemptibleLayer = (typeof EXEMPTIBLE_LAYERS)[number]

/** A path of the plugin that some layers of the core leave alone, also while the plugin is disabled. */
export interface Exemption {
  /** Decoded path; it is one of the plugin's `paths`, or lies below one. */
  path: string
  /** Also what lies below the path. */
  below?: true
  from: readonly ExemptibleLayer[]
  /** Why; for those who review the plugin. */
  reason: string
}

/** A response header that browsers may read across origins. */
export type ExposedHeader =
  | string
  | {
      name: string
      /** The exposed header before which it is listed. Default: behind those before it. */
      before?: string
      /** Exposed also while the plugin is disabled. */
      always?: true
    }

/** Where a category of the catalog is shown. */
export interface CategoryDeclaration {
  name: string
  /** Lower ranks come first; the core's own categories have 1000 and more. Categories without a rank come last, by name. */
  rank: number
}

/** A link in the navigation of the landing page, shown while the catalog has an endpoint at its target or below. */
export interface PageLink {
  /** Relative to the landing page, without a leading slash; below one of the plugin's `paths`. */
  href: string
  text: string
}
