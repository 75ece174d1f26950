/** `svc as`: starts svc in place of a server of another project, with its ports, variables and arguments. */
import type { Command, CommandContext, CommandResult } from 'svc/plugin'
import { isRecord, unknownName } from 'svc/toolkit'
import type { Flavours } from '../types.ts'
import { readFlags } from './arguments.ts'
import { ECHO_BASIC } from './echo-basic.ts'
import { ISTIO_ECHO } from './istio-echo.ts'
import { FORTIO, GO_HTTPBIN, HTTP_ECHO, HTTPBIN, NGINX_HELLO, TEST_UPSTREAM } from './others.ts'
import { type FlagSpec, type Sections, type StandIn, StandInProblem } from './stand-in.ts'
import { TESTBOX } from './testbox.ts'
import { WHOAMI, WHOAMI_TCP, WHOAMI_UDP } from './whoami.ts'

export const STAND_INS: Readonly<Record<string, StandIn>> = {
  'echo-basic': ECHO_BASIC,
  'istio-echo': ISTIO_ECHO,
  whoami: WHOAMI,
  whoamitcp: WHOAMI_TCP,
  whoamiudp: WHOAMI_UDP,
  'http-echo': HTTP_ECHO,
  'nginx-hello': NGINX_HELLO,
  fortio: FORTIO,
  httpbin: HTTPBIN,
  'go-httpbin': GO_HTTPBIN,
  testupstream: TEST_UPSTREAM,
  testbox: TESTBOX,
}

/** Variables with this name and the arguments of the original start `svc as`. */
export const VARIABLE = 'SVC_AS'

const USAGE = `usage: svc as <server> [arguments]

Starts svc in place of a server of another project, with the ports, variables and arguments of that server. All of svc is
there too: on SVC_HTTP_PORT, SVC_HTTPS_PORT and SVC_GRPC_PORT if they are set and not ports of the server, else on free ports
of the loopback address. ${VARIABLE}=<server> does the same without the command, for containers.

${Object.entries(STAND_INS)
  .map(([name, { flags, variables = [] }]) => usageOf(name, flags, variables))
  .join('')}
Exit codes: 1 a port cannot be opened, 2 invalid command line.
`

function usageOf(name: string, flags: Readonly<Record<string, FlagSpec>>, variables: readonly string[]): string {
  const parts = [...Object.keys(flags).map(flag => `-${flag}`), ...variables]
  const lines: string[] = []
  let line = `  ${name.padEnd(14)}`
  for (const part of parts) {
    if (line.length + part.length > 110) {
      lines.push(line.trimEnd())
      line = ' '.repeat(16)
    }
    line += `${part} `
  }
  return `${[...lines, line.trimEnd()].join('\n')}\n`
}

export const asCommand: Command = {
  name: 'as',
  group: 'run',
  summary: "start in place of another project's server",
  usage: USAGE,
  complete: () => ({ '': Object.keys(STAND_INS) }),
  variable: {
    name: VARIABLE,
    takes: async (value, context) => Object.hasOwn(STAND_INS, value) || (await ofPlugins(context)).has(value),
  },
  async run([name = '', ...args], context) {
    try {
      return await start(name, args, context!)
    } catch (error) {
      if (!(error instanceof StandInProblem)) throw error
      context!.err.write(`${error.message}\n\n${USAGE}`)
      return { exitCode: 2 }
    }
  },
}

async function start(name: string, args: readonly string[], context: CommandContext): Promise<CommandResult> {
  if (name === '') throw new StandInProblem('expected the name of a server')
  const standIn = Object.hasOwn(STAND_INS, name) ? STAND_INS[name] : (await ofPlugins(context)).get(name)
  if (standIn === undefined) {
    const { message } = unknownName('server', name.slice(0, 200), Object.keys(STAND_INS))
    throw new StandInProblem(message)
  }
  const flags = readFlags(args, standIn.flags, standIn.words)
  for (const flag of flags.keys()) {
    const { ignored } = standIn.flags[flag]!
    if (ignored !== undefined) context.err.write(`-${flag} is ignored: ${ignored}\n`)
  }
  const sections = standIn.sections({ flags, variables: context.environment, folder: context.workingDirectory })
  // Its own variable would name a server that is started already.
  return { serve: true, environment: { [VARIABLE]: name }, sections, yieldsPorts: portsOf(sections) }
}

/** Servers that other plugins offer at `drop-in.flavours`. */
async function ofPlugins(context: CommandContext): Promise<ReadonlyMap<string, StandIn>> {
  const flavours: Flavours | undefined = await context.use('drop-in.flavours')
  return flavours?.standIns() ?? new Map()
}

/** Ports over TCP. */
function portsOf(sections: Sections): number[] {
  return Object.values(sections)
    .flatMap(({ listeners }) => (Array.isArray(listeners) ? (listeners as unknown[]) : []))
    .flatMap(entry => (isRecord(entry) && entry.transport !== 'udp' ? [Number(entry.port)] : []))
    .filter(port => port !== 0)
}
