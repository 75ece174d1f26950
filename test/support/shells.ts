/** Programs of this machine that a test can use, and that may be absent. */
import { spawnSync } from 'node:child_process'

/** Options of a test that needs a program: it is skipped, with the reason, where the program is absent. */
export function needs(program: string, ...args: string[]): { skip: false | string } {
  const { status } = spawnSync(program, args.length > 0 ? args : ['--version'], { stdio: 'ignore' })
  return { skip: status === 0 ? false : `needs the program ${program}` }
}
