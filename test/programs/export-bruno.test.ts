/** Bruno's command line runs the exported collection, from the files that Bruno writes when it imports one. [EXPORT-20] */
import { createRequire } from 'node:module'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { MODULES, findProgram } from './support/program.ts'
import { testExport } from './support/export-run.ts'

interface Collection {
  brunoConfig: object
  environments: { name: string }[]
  items: { name: string; seq: number; items: { filename: string }[] }[]
}
type Write = (value: object, options: { format: 'bru' }) => string

testExport(t, findProgram('bru'), {
  file: 'bruno.json',
  async run(t, bruno, { text, folder }) {
    writeCollection(JSON.parse(text) as Collection, folder)
    const { code, output } = await bruno.run(['run', '-r', '--env', 'svc'], { cwd: folder })
    t.equal(code, 0, output.slice(-3000))
  },
  // Its command line sends no file without a file on the disk; such uploads are refused.
  isChanged: ({ headers }) => headers['content-type']?.startsWith('multipart/') ?? false,
})

function writeCollection({ brunoConfig, environments, items }: Collection, folder: string): void {
  const require = createRequire(join(MODULES, '@usebruno', 'cli', 'package.json'))
  const { stringifyRequest, stringifyFolder, stringifyEnvironment } = require('@usebruno/filestore') as Record<
    'stringifyRequest' | 'stringifyFolder' | 'stringifyEnvironment',
    Write
  >
  const format = { format: 'bru' } as const
  writeFileSync(join(folder, 'bruno.json'), JSON.stringify(brunoConfig))
  mkdirSync(join(folder, 'environments'))
  for (const environment of environments)
    writeFileSync(join(folder, 'environments', `${environment.name}.bru`), stringifyEnvironment(environment, format))
  for (const [at, { name, seq, items: requests }] of items.entries()) {
    const home = join(folder, String(at))
    mkdirSync(home)
    writeFileSync(join(home, 'folder.bru'), stringifyFolder({ meta: { name, seq } }, format))
    for (const request of requests) writeFileSync(join(home, request.filename), stringifyRequest(request, format))
  }
}
