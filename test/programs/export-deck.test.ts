/** decK reads the exported configuration of Kong. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { serve } from '../support/server.ts'
import { findProgram } from './support/program.ts'

const deck = findProgram('deck', ['version'])
const isMissing = typeof deck === 'string'

t.test(`${isMissing ? 'deck' : deck.title} reads kong.yaml [EXPORT-6]`, { skip: isMissing && deck }, async t => {
  if (isMissing) return
  const server = await serve(t)
  const folder = mkdtempSync(join(tmpdir(), 'svc-program-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'kong.yaml'), await (await fetch(`${server.url}/export/kong.yaml`)).text())
  const { code, output } = await deck.run(['file', 'validate', 'kong.yaml'], { cwd: folder })
  t.equal(code, 0, output)
})
