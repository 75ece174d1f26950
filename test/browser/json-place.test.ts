/** Where the cursor is in an incomplete JSON text, and what a schema allows there. */
import t from 'tap'
import { jsonPlaceAt, optionsAt } from '../../plugins/console/client/lib/protocol/json-place.ts'
import { RULE_SCHEMA } from '../../core/rules/rule-schema.ts'

/** The place of `|` in a text. */
const at = (text: string) => {
  const place = jsonPlaceAt(text.replace('|', ''), text.indexOf('|'))
  return place && [place.expects, place.path.map(step => step ?? '[]').join('/'), [...place.names].join(' ')]
}
const options = (text: string): string[] => {
  const place = jsonPlaceAt(text.replace('|', ''), text.indexOf('|'))
  return place === null ? [] : optionsAt(RULE_SCHEMA, place).map(option => option.text)
}

t.test('the place of the cursor [CON-46]', async t => {
  const places: [text: string, expected: ReturnType<typeof at>][] = [
    ['|', ['value', '', '']],
    ['{|', ['name', '', '']],
    ['{"a":1,|"b":2}', ['name', '', 'a b']],
    ['{"a":1,"th|"}', ['name', '', 'a']],
    ['{"then":[{"fail":503},{|}]}', ['name', 'then/[]', '']],
    ['{"then":|', ['value', 'then', '']],
    ['{"then":{"abort":"re|"}}', ['value', 'then/abort', '']],
    ['{"then":{"abort":"reset"|}}', ['value', 'then/abort', '']],
    ['{"a":1 |}', null],
    ['{"a":{"b":{}},"c":{|', ['name', 'c', '']],
    ['}}]|', null],
    ['{"a":"x\\"y","b|', ['name', '', 'a']],
  ]
  t.match(jsonPlaceAt('{"then":{"abo}}', 13), { from: 9, to: 13 }, 'an open text ends at the cursor')
  for (const [text, expected] of places) {
    const found = at(text)
    t.strictSame(found && [found[0], found[1], ...(found[0] === 'name' ? [found[2]] : [''])], expected, text)
  }
})

t.test('what the schema of rules allows [CON-46]', async t => {
  t.strictSame(options('{"then":{"abort":|}}').sort(), [
    '"bad-chunk"',
    '"close"',
    '"empty"',
    '"garbage"',
    '"reset"',
    '"truncate"',
  ])
  t.ok(options('{|').includes('"match"'))
  t.notOk(options('{"match":{},|').includes('"match"'), 'not twice')
  t.ok(options('{"match":{"header":{"X-Tenant":{|').includes('"starts_with"'))
  t.ok(options('{"then":[{|').includes('"times"'), 'a step of a list')
  t.notOk(options('{"then":{|').includes('"name"'))
  t.strictSame(options('{"loop":|').sort(), ['false', 'true'])
  t.strictSame(options('{"unknown":{|'), [])
})
