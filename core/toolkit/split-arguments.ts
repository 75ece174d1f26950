/** Arguments of commands with options that may be repeated. */
import { nearest } from './nearest.ts'
import { fillVariables } from './process-variables.ts'

/** The command line is not valid: exit code 2. */
export class ArgumentError extends Error {}

export interface ReadArguments {
  words: string[]
  values: Map<string, string[]>
  flags: Set<string>
}

/** Splits arguments by a table of options. */
export function splitArguments(
  args: readonly string[],
  values: Readonly<Record<string, string>>,
  flags: readonly string[],
): ReadArguments {
  const known = [...Object.keys(values).map(name => name.replace('*', '')), ...flags]
  const read: ReadArguments = { words: [], values: new Map(), flags: new Set() }
  for (let at = 0; at < args.length; at++) {
    const argument = args[at]!
    if (!argument.startsWith('--')) {
      if (argument.startsWith('-') && argument.length > 1)
        throw new ArgumentError(`unknown option: ${argument.slice(0, 100)}`)
      read.words.push(argument)
      continue
    }
    const equals = argument.indexOf('=')
    const name = equals === -1 ? argument.slice(2) : argument.slice(2, equals)
    if (flags.includes(name)) {
      if (equals !== -1) throw new ArgumentError(`--${name} takes no value`)
      read.flags.add(name)
      continue
    }
    const spec = values[name] === undefined ? `${name}*` : name
    if (values[spec] === undefined)
      throw new ArgumentError(`unknown option: --${name.slice(0, 100)}${guess(name, known)}`)
    const value = equals === -1 ? args[++at] : argument.slice(equals + 1)
    if (value === undefined || (equals === -1 && value.startsWith('--')))
      throw new ArgumentError(`--${name} needs a value: ${values[spec]}`)
    const before = read.values.get(name) ?? []
    if (before.length > 0 && !spec.endsWith('*')) throw new ArgumentError(`--${name} is given twice`)
    read.values.set(name, [...before, value])
  }
  return read
}

/** Replaces `${NAME}` by a variable of the process, so that credentials need not be in the command line. Throws `ArgumentError`. */
export function filledArgument(text: string, environment: Readonly<Record<string, string | undefined>>): string {
  return fillVariables(text, name => {
    const value = environment[name]
    if (value === undefined) throw new ArgumentError(`the variable ${name} is not set`)
    return value
  })
}

function guess(word: string, known: readonly string[]): string {
  const found = nearest(word, known)
  return found === undefined ? '' : ` (did you mean --${found}?)`
}
