/** The methods: their params and results. */
import { exactOf, ExactNumber, isInteger } from './exact-json.ts'
import { invalidParams, RpcError, type MethodName } from './errors.ts'

/** By position, by name, or absent. */
export type Params = unknown[] | Record<string, unknown> | undefined

/** Services that methods need from the instance. */
export interface MethodHost {
  maxDelayMs: number
  /** Resolves after `ms` milliseconds, or earlier if the client disconnects. */
  wait(ms: number): Promise<unknown>
}

/** Returns the result, or throws an `RpcError`. */
export type Method = (params: Params, host: MethodHost) => unknown

export const METHODS = new Map<string, Method>(
  Object.entries({
    echo: params => params ?? null,
    add: params => sum(numbersOf(params, ['a', 'b'])),
    subtract(params) {
      const numbers = numbersOf(params, ['minuend', 'subtrahend'])
      if (numbers.length !== 2) throw invalidParams(`subtract needs two numbers, got ${numbers.length}`)
      return sum([numbers[0]!, negate(numbers[1]!)])
    },
    async sleep(params, host) {
      const ms = exactOf(argumentsOf(params, ['ms'])[0])
      if (ms === undefined || !/^\d+$/.test(ms.value) || Number(ms.value) > host.maxDelayMs) {
        throw invalidParams(`ms must be an integer from 0 to ${host.maxDelayMs}`)
      }
      await host.wait(Number(ms.value))
      return { slept_ms: Number(ms.value) }
    },
    error(params) {
      const [given, message = 'Requested error', data] = argumentsOf(params, ['code', 'message', 'data'])
      const code = exactOf(given)
      if (code === undefined || !isInteger(code)) throw invalidParams('code must be an integer')
      if (typeof message !== 'string') throw invalidParams('message must be a string')
      throw new RpcError({ code, message, ...(data === undefined ? {} : { data }) })
    },
  } satisfies Record<MethodName, Method>),
)

/** The arguments in order, from positional or named params; absent ones are undefined. */
function argumentsOf(params: Params, names: string[]): unknown[] {
  if (params === undefined || Array.isArray(params)) return params ?? []
  return names.map(name => (Object.hasOwn(params, name) ? params[name] : undefined))
}

function numbersOf(params: Params, names: string[]): ExactNumber[] {
  const values = argumentsOf(params, names)
  if (values.length === 0) throw invalidParams('at least one number is required')
  return values.map((value, index) => {
    const number = exactOf(value)
    if (number !== undefined) return number
    throw invalidParams(`${Array.isArray(params) ? `argument ${index + 1}` : names[index]} must be a number`)
  })
}

function negate({ value }: ExactNumber): ExactNumber {
  return new ExactNumber(value.startsWith('-') ? value.slice(1) : `-${value}`)
}

/** Parsing a big integer takes more than linear time, so a megabyte of digits would block the process. */
const MAX_DIGITS = 1000

/** Exact for integers, otherwise a double. An integer with too many digits becomes an infinite double. */
function sum(numbers: ExactNumber[]): bigint | number {
  if (numbers.every(number => isInteger(number) && number.value.length <= MAX_DIGITS))
    return numbers.reduce((total, { value }) => total + BigInt(value), 0n)
  const total = numbers.reduce((before, { value }) => before + Number(value), 0)
  if (!Number.isFinite(total)) throw invalidParams('the result is not finite')
  return total
}
