/** `svc demo new`: a file to begin with, which is valid and whose control run gives what it says. */
import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { CommandContext, CommandResult } from 'svc/plugin'
import { ArgumentError, splitArguments } from 'svc/toolkit'
import { checkArea } from './selection.ts'

export async function newDemo(args: readonly string[], context: CommandContext): Promise<CommandResult> {
  const { words, values } = splitArguments(args, { area: 'name' }, [])
  const [name = ''] = words
  if (words.length !== 1) throw new ArgumentError('expected the name of the new demo')
  if (!/^[a-z0-9-]{1,40}$/.test(name) || ['runs', 'check'].includes(name))
    throw new ArgumentError('the name of a demo has 1 to 40 characters of a-z, 0-9 and -, and is not runs or check')
  const area = values.get('area')?.[0] ?? 'traffic'
  checkArea(area)
  const file = `${name}.yaml`
  try {
    await writeFile(resolve(context.workingDirectory, file), fileOf(name, area), { flag: 'wx' })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new ArgumentError(code === 'EEXIST' ? `${file} exists already` : `${file} cannot be written (${code})`)
  }
  context.out.write(`${file}\n`)
  return { exitCode: 0 }
}

function fileOf(name: string, area: string): string {
  return `# yaml-language-server: $schema=./svc.schema.json#/$defs/demo
# "svc demo check ${name}.yaml" validates this file and runs it without a gateway, which must give what "control" says.
# "svc demo run ${name}.yaml --through http://localhost:8000" runs it. All keys: docs/demos.md.

demo: ${name}
title: The gateway adds a header
area: ${area}
shows: Each request arrives with the header that the gateway adds.
variables: { header: x-gateway, value: demo }     # "--set value=other" changes one
route: { path: /anything/** }                     # what the gateway must forward; tried before the first step
needs: [echo]                                     # plugins of svc
presenter: |
  Configure the gateway to add the header \`header\` with the value \`value\` to each request.
control: not-seen                                 # without the gateway, the header is missing

steps:
  - title: The header arrives
    say: One request. It arrives with the header.
    send: { path: "/anything/{run}/first" }
    expect:
      - { responses: { status: 200 }, why: the client is served }
      - arrivals:
          match: { path: "/anything/{run}/first" }
          exactly: 1
          header.{{header}}: "{{value}}"
        why: the gateway added it

  - title: The upstream fails
    say: The upstream answers 503 once. The client sees it, since nothing retries.
    rules:
      - { name: once, match: { path: "/anything/{run}/second" }, then: [{ fail: 503, times: 1 }] }
    send: { path: "/anything/{run}/second" }
    expect:
      - { responses: { status: 503 }, soft: true, why: "a retry would hide it; \\"soft\\" shows it without judging" }
`
}
