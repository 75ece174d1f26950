/** Reads arguments as Go's packages `flag` and `pflag` do: with one dash or two, with a blank or `=` before the value. */
import { nearest } from 'svc/toolkit'
import { type FlagSpec, StandInProblem } from './stand-in.ts'

/** Values by flag. Throws a `StandInProblem`. */
export function readFlags(
  args: readonly string[],
  specs: Readonly<Record<string, FlagSpec>>,
  words: readonly string[] = [],
): Map<string, string[]> {
  const flags = new Map<string, string[]>()
  let isStart = true
  for (let index = 0; index < args.length; index++) {
    const argument = args[index]!
    const parts = /^--?(?<name>[^-=][^=]*)(?:=(?<value>[^]*))?$/.exec(argument)?.groups
    if (parts === undefined) {
      if (!isStart || !words.includes(argument))
        throw new StandInProblem(`unexpected argument: ${argument.slice(0, 200)}`)
      isStart = false
      continue
    }
    isStart = false
    const { name = '', value } = parts
    const spec = Object.hasOwn(specs, name) ? specs[name]! : undefined
    if (spec === undefined) {
      const meant = nearest(name, Object.keys(specs))
      throw new StandInProblem(
        `unknown argument: ${argument.slice(0, 200)}${meant === undefined ? '' : ` (did you mean -${meant}?)`}`,
      )
    }
    const given = spec.value === undefined ? readSwitch(value, name) : (value ?? args[++index])
    if (given === undefined) throw new StandInProblem(`-${name} needs a ${spec.value}`)
    flags.set(name, [...(flags.get(name) ?? []), given])
  }
  return flags
}

function readSwitch(value: string | undefined, name: string): string {
  if (value === undefined || /^(?:1|t|true)$/i.test(value)) return 'true'
  if (/^(?:0|f|false)$/i.test(value)) return 'false'
  throw new StandInProblem(`-${name}: expected true or false`)
}
