/** Options of the server on the command line: each wins over the environment variable with the same meaning. */
import { wholeNumber, type Parser } from '../contract/parsers.ts'
import { bindAddress } from '../config/address-parsers.ts'
import { UsageError, type Arguments, type OptionSpecs } from './arguments.ts'

const PORT = wholeNumber(0, 65535, 'port')

const VARIABLES: Record<string, { variable: string; value: string; parser: Parser<unknown>; expected: string }> = {
  port: { variable: 'SVC_HTTP_PORT', value: 'port', parser: PORT, expected: 'a port from 0 to 65535' },
  'https-port': { variable: 'SVC_HTTPS_PORT', value: 'port', parser: PORT, expected: 'a port from 0 to 65535' },
  'grpc-port': { variable: 'SVC_GRPC_PORT', value: 'port', parser: PORT, expected: 'a port from 0 to 65535' },
  host: {
    variable: 'SVC_HOST',
    value: 'address',
    parser: bindAddress,
    expected: 'an IPv4 or IPv6 address, or localhost',
  },
}

/** Options of `svc` and of `svc serve`. */
export const SERVE_OPTIONS: OptionSpecs = {
  config: { value: 'file' },
  ...Object.fromEntries(Object.entries(VARIABLES).map(([name, { value }]) => [name, { value }])),
  quiet: {},
  open: {},
}

/** The variables that these options set. Throws `UsageError` for a value that is not valid. */
export function serveVariables(options: Arguments['options']): Record<string, string> {
  const set: Record<string, string> = {}
  for (const [name, { variable, parser, expected }] of Object.entries(VARIABLES)) {
    const text = options[name]
    if (text === undefined) continue
    if (parser.parse(String(text).trim()) === undefined)
      throw new UsageError(`--${name} needs ${expected}, not ${String(text).slice(0, 100)}`)
    set[variable] = String(text)
  }
  return set
}
