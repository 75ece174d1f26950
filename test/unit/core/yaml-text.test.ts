/** Large values as YAML. */
import t from 'tap'
import { parse, stringify } from 'yaml'
import { Pacer } from '../../../core/contract/budgets.ts'
import type { JsonObject } from '../../../core/contract/json.ts'
import { writeYaml } from '../../../core/toolkit/yaml-text.ts'

const OPTIONS = { aliasDuplicateObjects: false, lineWidth: 0, compat: 'yaml-1.1' } as const
const VALUE: JsonObject = {
  openapi: '3.1.0',
  empty: {},
  none: null,
  list: [1, { a: [] }, 'no'],
  'key: with colon': { '#': 1, '': 2, '- x': { 'a\nb': { c: 1 } } },
  paths: {
    '/a/{id}': { get: { description: 'two\nlines\n\n  indented\n', summary: 'it\'s: "quoted" # not a comment' } },
    '/yes': { post: { description: ' leading space\nand more', yes: 'yes', date: '2026-01-02' } },
  },
  long: { ['x'.repeat(2000)]: { deep: { deeper: { deepest: 'end' } } } },
}

t.test('parts make the same document as the whole [EVAL-4]', async t => {
  const text = await writeYaml(VALUE, new Pacer(), OPTIONS)
  t.strictSame(parse(text), VALUE)
  const { long: _, 'key: with colon': __, ...plain } = VALUE
  t.equal(await writeYaml(plain, new Pacer(), OPTIONS), stringify(plain, OPTIONS))
  t.equal(await writeYaml({}, new Pacer()), '{}\n')
})

t.test('it pauses between parts, and large parts are JSON [EVAL-4]', async t => {
  let pauses = 0
  class Counted extends Pacer {
    override async pause(): Promise<void> {
      pauses++
      await super.pause()
    }
  }
  const large = { items: { big: Array.from({ length: 40_000 }, (_, index) => ({ id: index })), small: [1] } }
  const text = await writeYaml(large, new Counted(0), OPTIONS)
  t.ok(pauses > 2)
  t.strictSame(parse(text), large)
  t.match(text, /^items:\n {2}big: \[\{"id":0\},/)
  t.match(text, / {2}small:\n {4}- 1\n$/)
})
