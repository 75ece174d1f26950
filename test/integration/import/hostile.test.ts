/** `svc import` of files that are made to do harm. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { importInto } from '../../support/imports/imported.ts'

function fileWith(content: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-import-hostile-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'stubs.json'), content)
  return join(folder, 'stubs.json')
}

t.test('names that every object inherits are names like any other', async t => {
  const imported = await importInto(t, [
    fileWith(`{
      "request": { "url": "/a", "headers": { "constructor": { "equalTo": "y" }, "__proto__": { "equalTo": "x" } } },
      "response": { "headers": { "constructor": "a", "__proto__": "b" }, "fault": "constructor" }
    }`),
  ])
  t.equal(imported.code, 0, imported.errors)
  const rules = imported.read(join('rules', readdirSync(join(imported.folder, 'rules'))[0]!))
  t.match(rules, /constructor:\n\s+equals: y/)
  t.match(rules, /__proto__:\n\s+equals: x/)
  t.match(rules, /constructor: a/)
  t.match(rules, /__proto__: b/)
  t.match(imported.errors, /response\.fault/)
})

t.test('members without number, and rules of one name, take little time', async t => {
  const members = Array.from({ length: 100_000 }, (_, number) => `"k${number}": 1`)
  const stub = '{"name": "x", "request": {"url": "/x"}, "response": {}}'
  const imported = await importInto(t, [
    fileWith(
      `{"mappings": [{"request": {"url": "/x", ${members.join(',\n')}}, "response": {}}, ${Array.from({ length: 50_000 }, () => stub).join(',\n')}]}`,
    ),
    '--from',
    'wiremock',
  ])
  t.match(imported.errors, /only 10000 findings are listed/)
  const { counts } = imported.report()
  t.match(counts, { wiremock: { found: 50_001, imported: 2000, disabled: 0, skipped: 48_001 } })
})
