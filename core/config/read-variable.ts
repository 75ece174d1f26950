/** Reads one variable of the environment, whether the core or a plugin declares it. */
import { quote } from '../contract/parsers.ts'
import type { VariableDefinition } from '../contract/declarations.ts'

export interface ReadVariable<T> {
  value: T
  /** The value came from the environment. */
  isValid: boolean
  /** One line for each part that was not taken as given. A secret's value is in none of them. */
  warnings: readonly string[]
}

type Readable<T> = Pick<VariableDefinition<T>, 'name' | 'parser' | 'secret' | 'emptyIsValue'> & { alias?: string }

/** The value of a variable; `fallback` is called for its default when it is unset or invalid. */
export function readVariable<T>(definition: Readable<T>, env: NodeJS.ProcessEnv, fallback: () => T): ReadVariable<T> {
  const found = findText(definition, env)
  const parsed = found && definition.parser.parse(found.text)
  if (parsed !== undefined)
    return { value: parsed.value, isValid: true, warnings: (parsed.notes ?? []).map(note => `${found!.name}: ${note}`) }
  const value = fallback()
  return {
    value,
    isValid: false,
    warnings: found === undefined ? [] : [invalid(found.name, found.text, definition, value)],
  }
}

/** The text of a variable, from its own name or its alias; undefined when both are unset. */
function findText(
  { name: ownName, alias, emptyIsValue }: Readable<unknown>,
  env: NodeJS.ProcessEnv,
): { name: string; text: string } | undefined {
  for (const name of [ownName, alias]) {
    const text = name === undefined ? undefined : env[name]?.trim()
    if (text !== undefined && (text !== '' || emptyIsValue === true)) return { name: name!, text }
  }
  return undefined
}

function invalid(name: string, text: string, { secret, parser }: Readable<unknown>, fallback: unknown): string {
  const shown = secret === true ? '' : ` ${quote(text)}`
  const used = fallback === null || (Array.isArray(fallback) && fallback.length === 0) ? 'none' : String(fallback)
  return `invalid ${name}${shown} (expected ${parser.expected}), using ${used}`
}
