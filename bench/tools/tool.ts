/** A tool that is measured next to svc: how it is installed and started, and the work that it can do as svc does. */
import { startProgram, type Measured } from '../process.ts'
import { freePort } from '../../test/support/free-ports.ts'

/** How to ask a tool for the work of a case in `../cases.ts`. */
export interface Work {
  path: string
}

export interface Installed {
  /** Packages, jars or binaries. */
  parts: string
  bytes: number
  command: string[]
}

export interface Tool {
  name: string
  /** A path that responds when the tool is ready. */
  path: string
  /** Installs it in an empty folder. Throws if it can't be installed here. */
  install(folder: string): Installed
  /** Arguments that start it on a port of the loopback interface, in the folder. */
  args(port: number, folder: string): string[]
  /** Environment of its process. */
  env?: Record<string, string>
  /** Prepares the work, such as stubs, once it is ready. */
  prepare?(origin: string): Promise<void>
  /** The requests that make it do the work of a case, for tools with other paths than svc; the rest is that of the case. */
  works?: Readonly<Record<string, Work>>
}

/** Starts an installed tool and waits until it responds. With `isPinned` it has one core, and so does its runtime if it asks. */
export async function startTool(tool: Tool, command: string[], folder: string, isPinned: boolean): Promise<Measured> {
  const port = await freePort()
  return startProgram({
    command: [...command, ...tool.args(port, folder)],
    port,
    path: tool.path,
    env: { ...(isPinned ? { GOMAXPROCS: '1' } : {}), ...tool.env },
    cwd: folder,
    isPinned,
  })
}
