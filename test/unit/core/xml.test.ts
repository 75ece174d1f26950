/** The XML form of JSON values. */
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import t from 'tap'
import { toXml } from '../../../core/http/response/xml.ts'

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
const root = (content: string): string => `${DECLARATION}<response>${content}</response>`

t.test('writes every kind of value [XML-1]', async t => {
  const rows: [value: unknown, xml: string][] = [
    [{ a: 1, b: 'x' }, root('<a>1</a><b>x</b>')],
    [{ b: 1, a: 2 }, root('<b>1</b><a>2</a>')],
    [{ a: { b: { c: true } } }, root('<a><b><c>true</c></b></a>')],
    [
      { list: [1, 'x', null, [2], {}] },
      root('<list><item>1</item><item>x</item><item/><item><item>2</item></item><item></item></list>'),
    ],
    [{ list: [] }, root('<list></list>')],
    [{ a: null, b: '' }, root('<a/><b></b>')],
    [
      { a: true, b: false, c: 3.5, d: 0, e: -1, f: 1e21 },
      root('<a>true</a><b>false</b><c>3.5</c><d>0</d><e>-1</e><f>1e+21</f>'),
    ],
    [{}, root('')],
    [[1, { a: 2 }], root('<item>1</item><item><a>2</a></item>')],
    [[], root('')],
    ['text', root('text')],
    ['', root('')],
    [3.5, root('3.5')],
    [false, root('false')],
    [null, `${DECLARATION}<response/>`],
    [undefined, `${DECLARATION}<response/>`],
  ]
  for (const [value, xml] of rows) t.equal(toXml(value), xml, JSON.stringify(value))
})

t.test('converts values like JSON [XML-1]', async t => {
  const values = [
    { a: undefined, b: () => 1, c: Symbol('x'), d: 1 },
    [undefined, () => 1],
    { n: Number.NaN, i: Infinity },
    { at: new Date(0) },
    { z: -0 },
    { own: { toJSON: () => ({ x: [1] }) } },
    { gone: { toJSON: () => null } },
    Buffer.from('a'),
  ]
  for (const value of values) t.equal(toXml(value), toXml(JSON.parse(JSON.stringify(value))))
})

t.test('writes an entry for a key that is not a safe name [XML-2]', async t => {
  const safe = [
    'a',
    '_',
    'A-b_c.d9',
    'x-request-id',
    'item',
    'response',
    'entry',
    'm'.repeat(128),
    'constructor',
    'x',
    'xm',
    '_xml',
  ]
  for (const key of safe) t.equal(toXml({ [key]: 1 }), root(`<${key}>1</${key}>`), key)
  const unsafe: [key: string, attribute: string][] = [
    ['', ''],
    ['1a', '1a'],
    ['-a', '-a'],
    ['.a', '.a'],
    ['a b', 'a b'],
    ['a:b', 'a:b'],
    ['xml', 'xml'],
    ['XmL-x', 'XmL-x'],
    ['xmlns', 'xmlns'],
    ['h\u00f6', 'h\u00f6'],
    ['a/b', 'a/b'],
    ['a<b', 'a&lt;b'],
    ['m'.repeat(129), 'm'.repeat(129)],
    ['a\n', 'a&#10;'],
    ['\u212aelvin', '\u212aelvin'],
    ['\u017f', '\u017f'],
    ['$ref', '$ref'],
  ]
  for (const [key, attribute] of unsafe) t.equal(toXml({ [key]: 1 }), root(`<entry key="${attribute}">1</entry>`), key)
  t.equal(toXml({ 'a b': null, 'c d': { e: [] } }), root('<entry key="a b"/><entry key="c d"><e></e></entry>'))
  t.equal(toXml(JSON.parse('{"__proto__":{"x":1}}')), root('<__proto__><x>1</x></__proto__>'))
})

t.test('escapes markup [XML-3]', async t => {
  t.equal(toXml({ a: `<&>"'` }), root('<a>&lt;&amp;&gt;&quot;&apos;</a>'))
  t.equal(toXml({ a: 'x\r\n\ty' }), root('<a>x&#13;\n\ty</a>'))
  t.equal(toXml({ [`<&>"'\r\n\t`]: 1 }), root('<entry key="&lt;&amp;&gt;&quot;&apos;&#13;&#10;&#9;">1</entry>'))
  t.equal(toXml({ a: ']]>' }), root('<a>]]&gt;</a>'))
  t.equal(toXml({ a: '&amp;' }), root('<a>&amp;amp;</a>'))
})

t.test('replaces characters that XML forbids [XML-4]', async t => {
  for (const bad of [
    '\u0000',
    '\u0001',
    '\u0008',
    '\u000b',
    '\u000c',
    '\u000e',
    '\u001f',
    '\ufffe',
    '\uffff',
    '\ud800',
    '\udbff',
    '\udc00',
    '\udfff',
  ]) {
    t.equal(toXml({ a: `x${bad}y` }), root('<a>x\ufffdy</a>'), bad.charCodeAt(0).toString(16))
    t.equal(toXml({ [`x ${bad}`]: 1 }), root('<entry key="x \ufffd">1</entry>'), bad.charCodeAt(0).toString(16))
  }
  t.equal(toXml('\ud800\ud83d\ude00\ude00'), root('\ufffd\u{1f600}\ufffd'))
  t.equal(
    toXml('\u0009\u000a\u0020\u007f\u0085\ud7ff\ue000\ufffd\u{10ffff}'),
    root('\u0009\u000a\u0020\u007f\u0085\ud7ff\ue000\ufffd\u{10ffff}'),
  )
})

t.test('writes values deeper than 64 levels as JSON text [XML-5]', async t => {
  const nest = (levels: number): unknown => {
    let value: unknown = { deep: '<x>' }
    for (let i = 1; i < levels; i++) value = [value]
    return value
  }
  const items = (count: number, content: string): string =>
    root('<item>'.repeat(count) + content + '</item>'.repeat(count))
  t.equal(toXml(nest(64)), items(63, '<deep>&lt;x&gt;</deep>'))
  t.equal(toXml(nest(65)), items(64, '{&quot;deep&quot;:&quot;&lt;x&gt;&quot;}'))
  t.equal(toXml(nest(66)), items(64, '[{&quot;deep&quot;:&quot;&lt;x&gt;&quot;}]'))
  t.match(toXml(nest(1000)), /^<\?xml[^]*\[\[\[\{&quot;deep/)
})

t.test('is well-formed and contains any values [XML-1]', async t => {
  const parser = new XMLParser({
    ignoreAttributes: false,
    trimValues: false,
    parseTagValue: false,
    processEntities: true,
    htmlEntities: true,
  })
  const value = { text: '<a b="c">&\'', 'a key': 'x', list: ['1', '2'], nested: { deep: { deeper: 'y' } } }
  const xml = toXml(value)
  t.equal(XMLValidator.validate(xml), true)
  const { response } = parser.parse(xml) as { response: Record<string, unknown> }
  t.equal(response.text, value.text)
  t.strictSame(response.entry, { '#text': 'x', '@_key': 'a key' })
  t.strictSame(response.list, { item: ['1', '2'] })
  t.strictSame(response.nested, value.nested)
  for (const piece of ['<', '&', ']]>', '\u0000', '\ud800', '"', '<!--', '\r']) {
    const hostile = toXml({ value: piece.repeat(100_000 / piece.length), [piece.repeat(1000)]: piece })
    t.equal(XMLValidator.validate(hostile), true, JSON.stringify(piece))
  }
})
