/** Parses the arguments of a command. Errors suggest the nearest valid option. */
import { parseArgs } from 'node:util'
import { nearest } from '../toolkit/nearest.ts'

/** The command line is invalid: exit code 2. */
export class UsageError extends Error {
  /** Usage text of the command; undefined for the general usage. */
  usage?: string
}

/** Options by name without dashes. `value` is the name of the value; without it, the option is a flag. */
export type OptionSpecs = Record<string, { value?: string }>

export interface Arguments {
  /** Values of options, `true` for flags. */
  options: Record<string, string | true>
  words: string[]
}

/** Throws `UsageError` for an unknown option, a missing value, or a wrong number of positional arguments. */
export function readArguments(
  args: string[],
  specs: OptionSpecs,
  words: { min: number; max: number; what?: string } = { min: 0, max: 0 },
): Arguments {
  const known = Object.fromEntries(
    Object.entries(specs).map(([name, { value }]) => [
      name,
      { type: value === undefined ? 'boolean' : 'string' } as const,
    ]),
  )
  const { tokens } = parseArgs({ args, options: known, strict: false, allowPositionals: true, tokens: true })
  const read: Arguments = { options: {}, words: [] }
  for (const token of tokens) {
    if (token.kind === 'positional') read.words.push(token.value)
    if (token.kind !== 'option') continue
    const spec = Object.hasOwn(specs, token.name) && token.rawName.startsWith('--') ? specs[token.name] : undefined
    if (spec === undefined) throw new UsageError(unknownOption(token.rawName, Object.keys(specs)))
    if (spec.value === undefined && token.value !== undefined) throw new UsageError(`${token.rawName} takes no value`)
    if (spec.value !== undefined && !token.value) throw new UsageError(`${token.rawName} needs a ${spec.value}`)
    read.options[token.name] = token.value ?? true
  }
  if (read.words.length < words.min) throw new UsageError(`expected ${words.what}`)
  if (read.words.length > words.max)
    throw new UsageError(`unexpected argument: ${read.words[words.max]!.slice(0, 200)}`)
  return read
}

function unknownOption(option: string, known: string[]): string {
  const guess = nearest(
    option,
    known.map(name => `--${name}`),
  )
  return `unknown option: ${option.slice(0, 200)}${guess === undefined ? '' : ` (did you mean ${guess}?)`}`
}
