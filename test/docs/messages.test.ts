/**
 * Collects all user-visible texts in `test/messages.txt`, so that they can be read together and changes are visible in
 * reviews. `SVC_WRITE_DOCS=1 npm test -- docs/messages` updates the file.
 */
import t from 'tap'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { collectMessages } from '../support/messages.ts'
import { root } from '../support/sources.ts'

const path = join(root, 'test', 'messages.txt')

t.test('test/messages.txt has every message', async t => {
  const messages = collectMessages()
  const text = [...messages]
    .map(([file, lines]) => `${file}\n${lines.map(line => `  ${line.replaceAll('\n', '\\n')}\n`).join('')}`)
    .join('\n')
  t.ok([...messages.values()].flat().length > 2000, 'the scan finds them')
  if (process.env.SVC_WRITE_DOCS === '1') writeFileSync(path, text)
  else t.equal(text, readFileSync(path, 'utf8'), 'update it with SVC_WRITE_DOCS=1 npm test -- docs/messages')
})
