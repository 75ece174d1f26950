/** Checks that a test cites every rule in `test/requirements/`, and that every cited id is a rule. */
import t from 'tap'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Rule {
  id: string
  rule: string
  where: string
}

const folder = import.meta.dirname
const rules: Rule[] = []
for (const file of readdirSync(folder).filter(name => name.endsWith('.ts') && !name.endsWith('.test.ts'))) {
  rules.push(...((await import(join(folder, file))) as { default: Rule[] }).default)
}

const cited = new Set<string>()
for (const entry of readdirSync(join(folder, '..'), { recursive: true, withFileTypes: true })) {
  if (!entry.name.endsWith('.test.ts')) continue
  const source = readFileSync(join(entry.parentPath, entry.name), 'utf8')
  for (const [, list] of source.matchAll(/\[((?:[A-Z][A-Z0-9]*-\d+)(?:, ?[A-Z][A-Z0-9]*-\d+)*)\]/g)) {
    for (const id of list!.split(/, ?/)) cited.add(id)
  }
}

t.test('every rule has a unique id, a sentence and a source', async t => {
  t.equal(new Set(rules.map(rule => rule.id)).size, rules.length, 'no id twice')
  for (const { id, rule, where } of rules)
    t.ok(/^[A-Z][A-Z0-9]*-\d+$/.test(id) && rule.length > 10 && where.length > 2, id)
})

t.test('every rule is cited by a test', async t => {
  for (const { id, rule } of rules) t.ok(cited.has(id), `${id}: ${rule}`)
})

t.test('every cited id is a rule', async t => {
  const known = new Set(rules.map(rule => rule.id))
  for (const id of cited) t.ok(known.has(id), id)
})
