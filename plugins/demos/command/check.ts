/** `svc demo check`: whether files are valid, and whether their control runs give what they say. */
import { resolve } from 'node:path'
import type { CommandContext, CommandResult } from 'svc/plugin'
import { ArgumentError, splitArguments, startUpstream } from 'svc/toolkit'
import { readDemos, type FoundDemo } from '../catalog/read-folder.ts'
import { BOUNDS } from '../file/bounds.ts'
import { problemText } from '../file/demo-document.ts'
import { directTarget } from '../run/context.ts'
import { ControlClient } from '../run/control.ts'
import { DemoRun } from '../run/demo-run.ts'
import { borrowed } from './borrowed.ts'

export async function checkFiles(
  args: readonly string[],
  context: CommandContext,
  folder: string,
): Promise<CommandResult> {
  const { words } = splitArguments(args, {}, [])
  if (words.length === 0) throw new ArgumentError('expected a file or a folder')
  const demos: FoundDemo[] = []
  let problems = 0
  for (const word of words) {
    const found = await readDemos(resolve(context.workingDirectory, word))
    demos.push(...found.demos)
    problems += found.problems.length
    for (const { file, problem } of found.problems) context.err.write(`${problemText(file, problem)}\n`)
    for (const { demo, file } of found.demos)
      for (const warning of demo.warnings) context.err.write(`${file}: warning: ${warning}\n`)
  }
  if (problems > 0) return { exitCode: 2 }
  return { exitCode: (await differing(demos, context, folder)) > 0 ? 1 : 0 }
}

/** Number of demos whose control run differs from the file. */
async function differing(demos: readonly FoundDemo[], context: CommandContext, folder: string): Promise<number> {
  const client = await context.use('probe.client')
  if (client === undefined) throw new ArgumentError('the plugin probe is off')
  const more = borrowed(context, folder)
  const { server, url, token } = await startUpstream(context, { host: '127.0.0.1', http: 0, https: 0, grpc: 0 }, {})
  let wrong = 0
  try {
    const address = client.address(url)
    if (typeof address === 'string') throw new Error(address)
    const control = new ControlClient(client, await client.resolve(address), token)
    for (const { demo } of demos) {
      const run = new DemoRun({
        demo,
        values: demo.variables,
        context: {
          client,
          ...more,
          control,
          laneControls: {},
          target: directTarget(control, []),
          bounds: BOUNDS,
          signal: new AbortController().signal,
        },
        ask: () => Promise.resolve(true),
        stopAtFirst: false,
        fromStep: 1,
        events: {},
      })
      const { verdict, reason } = await run.run()
      const isRight = verdict === demo.control
      if (!isRight) wrong++
      context.out.write(
        isRight
          ? `${demo.demo}: valid, control run ${verdict}\n`
          : `${demo.demo}: control run ${verdict}, expected ${demo.control}${reason === null ? '' : `: ${reason}`}\n`,
      )
    }
  } finally {
    await server.stop()
  }
  return wrong
}
