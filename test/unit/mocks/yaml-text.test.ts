/** Documents are written as YAML in pieces, and read back as they were. */
import t from 'tap'
import { parse } from 'yaml'
import { yamlText } from '../../../plugins/mocks/document/yaml-text.ts'
import { PETSTORE } from '../../../plugins/mocks/sources/petstore.ts'
import type { JsonObject } from '../../../plugins/mocks/document/json.ts'

t.setTimeout(180_000)

const NAMES: JsonObject = {
  '': { a: { b: { c: 1 } } },
  'a: b': { x: { y: [1, { z: {} }] } },
  'two\nlines': { a: { b: 1 } },
  '- x': { q: { w: 'text\n\n  more\nlines\n' } },
  '?': { a: { a: 'x '.repeat(100) } },
  '#c': { '#d': { '&e': '*f', long: `${'word '.repeat(60)}\n${'word '.repeat(60)}` } },
  '1': { true: { null: { '~': 1 } } },
  'a\tb': { é: { '"': "'" } },
  none: null,
  empty: {},
  list: [],
}

t.test('a document is the same when its YAML is read [MOCK-99]', async t => {
  for (const document of [PETSTORE as unknown as JsonObject, NAMES, {}])
    t.same(parse(await yamlText(document)) ?? {}, document)
})

t.test('a large document is written with pauses [MOCK-99]', async t => {
  const schemas = Object.fromEntries(Array.from({ length: 3000 }, (_, index) => [`S${index}`, NAMES]))
  let isOver = false
  let turns = 0
  const writing = yamlText({ components: { schemas } }).finally(() => {
    isOver = true
  })
  while (!isOver) {
    await new Promise(resolve => setImmediate(resolve))
    turns++
  }
  t.ok((await writing).length > 1_000_000)
  t.ok(turns > 5, `${turns} turns of the event loop`)
})
