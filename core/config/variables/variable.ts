/** A variable of the core: a row of the table in `../variables.ts`. */
import type { VariableDefinition } from '../../contract/declarations.ts'
import { boolean, text, type Parser } from '../../contract/parsers.ts'
import type { Config, Field, ValueAt } from '../config.ts'

/** A row of the table. `Path` is the field of `Config` that it sets. */
export interface Variable<Path extends Field = Field>
  extends Pick<
    VariableDefinition<ValueAt<Path>>,
    'name' | 'parser' | 'defaultText' | 'description' | 'secret' | 'emptyIsValue'
  > {
  field: Path
  /** The default, or a function that computes it from the rows above. */
  default: ValueAt<Path> | ((config: Config) => ValueAt<Path>)
  /**
   * Dotted path in `GET /_svc/config`; null hides the variable. A name that ends in `_configured` only shows whether a
   * value is set.
   */
  shownAs: string | null
  /** Computes what is shown instead of the value. */
  show?: (config: Config) => unknown
  /** Another variable that is read when this one is unset. */
  alias?: string
}

/** Makes the compiler check a row against the type of its field. */
export function row<Path extends Field>(variable: Variable<Path>): Variable {
  return variable as unknown as Variable
}

export const nullableText: Parser<string | null> = text

/** A boolean that is documented as a switch. */
export const switched = { ...boolean, expected: 'on or off' }
