/** A server of another project that `svc as` starts: its ports, variables and arguments. */
import { resolve } from 'node:path'

/** Sections of `svc.yaml`, by name. */
export type Sections = Record<string, Record<string, unknown>>

export interface FlagSpec {
  /** Name of the value in the help; absent: a flag without a value. */
  value?: string
  /** Why it has no effect, for the warning. */
  ignored?: string
}

/** What the server was started with. */
export interface Given {
  /** Values by flag, in order; those of a flag without a value are `true` and `false`. */
  flags: ReadonlyMap<string, readonly string[]>
  variables: Readonly<Record<string, string | undefined>>
  /** Paths of files are relative to it. */
  folder: string
}

export interface StandIn {
  /** Words before the flags, such as fortio's `server`. They may be absent. */
  words?: readonly string[]
  /** By name without dashes. */
  flags: Readonly<Record<string, FlagSpec>>
  /** Names of the variables that it reads. */
  variables?: readonly string[]
  /** What to serve, as in `svc.yaml`. Throws a `StandInProblem`. */
  sections(given: Given): Sections
}

/** The arguments or variables of the server are wrong: one sentence. */
export class StandInProblem extends Error {}

/** An address to listen on, without a host if it names none. */
export interface ListenAddress {
  port: number
  host?: string
}

/** Reads `8080`, `:8080`, `127.0.0.1:8080` or `[::1]:8080`. `what` is the flag or variable. */
export function readAddress(text: string, what: string): ListenAddress {
  const parts = /^(?:(?<host>\[[^\]]+\]|[^:[\]]*):)?(?<port>\d{1,5})$/.exec(text)
  const port = Number(parts?.groups?.port ?? Number.NaN)
  if (!(port >= 0 && port <= 65_535))
    throw new StandInProblem(`${what}: expected a port, got ${JSON.stringify(text.slice(0, 100))}`)
  const host = parts!.groups!.host?.replace(/^\[|\]$/g, '')
  return host === undefined || host === '' ? { port } : { port, host }
}

/** The last value of a flag, else of a variable, else the default. Empty values do not count. */
export function textOf({ flags, variables }: Given, flag: string | null, variable?: string): string | undefined {
  const given = flag === null ? undefined : flags.get(flag)?.at(-1)
  const text = given !== undefined && given !== '' ? given : variable === undefined ? undefined : variables[variable]
  return text === '' ? undefined : text
}

/** The address that a flag or a variable names. */
export function addressOf(
  given: Given,
  { flag = null, variable, port }: { flag?: string | null; variable?: string; port: number },
): ListenAddress {
  const text = textOf(given, flag, variable)
  if (text === undefined) return { port }
  const isFlag = flag !== null && given.flags.has(flag)
  return readAddress(text, isFlag ? `-${flag}` : variable!)
}

/** A number of a flag that may be repeated and take lists, as in `--port 80 --port 81,82`. */
export function portsOf({ flags }: Given, flag: string, usual: readonly number[] = []): number[] {
  const values = flags.get(flag)
  if (values === undefined) return [...usual]
  return values.flatMap(value => value.split(',')).map(text => readAddress(text.trim(), `--${flag}`).port)
}

/** The path of a file as svc needs it: absolute. */
export function fileOf({ folder }: Given, path: string): string {
  return resolve(folder, path)
}

/** Leaves out members without a value. */
export function present(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}
