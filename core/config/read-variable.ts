/** Reads one environment variable, declared by the core or by a plugin. */
import { quote } from '../contract/parsers.ts'
import type { VariableDefinition } from '../contract/declarations.ts'

export interface ReadVariable<T> {
  value: T
  /** The value came from the environment. */
  isValid: boolean
  /** One line for each part that was not used as given. None contains the value of a secret. */
  warnings: readonly string[]
}

type Readable<T> = Pick<VariableDefinition<T>, 'name' | 'parser' | 'secret' | 'emptyIsValue'> & { alias?: string }

/** The value of a variable. If it is unset or invalid, `fallback` is called for its default. */
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

/** The text of a variable from its name or its alias; undefined if both are unset. */
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
