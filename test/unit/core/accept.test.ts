/** The choice between JSON and XML. */
import t from 'tap'
import { preferredType, negotiateType } from '../../../core/fields/accept.ts'

const JSON_TYPE = 'application/json'
const XML = 'application/xml'
const TEXT_XML = 'text/xml'

t.test('selects the type with the highest q [ACCEPT-1]', async t => {
  const rows: [accept: string, type: string][] = [
    ['application/json;q=0.5, application/xml', XML],
    ['application/json;q=0, */*;q=0.1', XML],
    ['text/*', TEXT_XML],
    ['application/xml', XML],
    ['text/xml', TEXT_XML],
    ['text/xml, application/xml', XML],
    ['text/xml;q=0.9, application/xml;q=0.8', TEXT_XML],
    ['application/xml, application/json', JSON_TYPE],
    ['application/xml;q=0.9, */*;q=0.8', XML],
    ['application/xml, */*', JSON_TYPE],
    ['application/*', JSON_TYPE],
    ['application/*;q=0.5, text/xml', TEXT_XML],
    ['application/json;q=0, application/*', XML],
    ['application/json;q=0, application/xml;q=0, */*', TEXT_XML],
    ['application/json;q=0.1, application/*;q=0.9', XML],
    ['*/*;q=1, application/json;q=0.2, application/xml;q=0.3, text/*;q=0.1', XML],
    ['application/xml;q=0.1, application/xml;q=0.9, application/json;q=0.5', XML],
    ['application/soap+xml, application/xml;q=0.001', XML],
    ['application/json;q=0.4, text/xml;q=0.5, text/*;q=0.1', TEXT_XML],
  ]
  for (const [accept, type] of rows) t.equal(negotiateType(accept), type, accept)
})

t.test('selects JSON if nothing else is requested [ACCEPT-2]', async t => {
  const values = [
    undefined,
    '',
    ' ',
    '*/*',
    'application/json',
    'image/png',
    'text/plain',
    'text/html',
    ';;;q=x',
    ',',
    ',,,',
    ';',
    '/',
    '*',
    'xml',
    'application',
    'application/',
    '/xml',
    '*/xml',
    'application/xml;q=0',
    '*/*;q=0',
    'application/json;q=0, application/xml;q=0, text/xml;q=0',
    'application/json, text/plain, */*',
    'application/problem+json',
    'application/xml2',
    'xapplication/xml',
    'application /xml',
    '"application/xml"',
    '__proto__',
    'constructor/prototype',
  ]
  for (const value of values) t.equal(negotiateType(value), JSON_TYPE, String(value))
})

t.test('selects JSON for browsers [ACCEPT-3]', async t => {
  const rows: [accept: string, type: string][] = [
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', JSON_TYPE],
    [
      'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7',
      JSON_TYPE,
    ],
    ['text/html, application/xml', JSON_TYPE],
    ['TEXT/HTML, text/xml', JSON_TYPE],
    ['application/xhtml+xml;q=0.5, text/xml;q=0.5', JSON_TYPE],
    ['text/html;q=0.8, application/xml', XML],
    ['text/html;q=0, application/xml;q=0.1', XML],
    ['text/*, application/xml;q=0.9', TEXT_XML],
    ['text/html;q=x, application/xml', XML],
  ]
  for (const [accept, type] of rows) t.equal(negotiateType(accept), type, accept)
})

t.test('parses names, parameters and q in all allowed forms [ACCEPT-4]', async t => {
  const rows: [accept: string, type: string][] = [
    ['APPLICATION/XML', XML],
    [' application/xml ; Q=0.5 , application/json;q=0.4', XML],
    ['application/xml;charset=utf-8;q=0.5', XML],
    ['application/xml;q=0.5;charset=utf-8, application/json;q=0.6', JSON_TYPE],
    ['application/xml;title="a,b;q=0";q=1, application/json;q=0.5', XML],
    ['application/xml;title="\\",application/json";q=0.9', XML],
    ['application/xml;q=7, application/json;q=0.9', XML],
    ['application/xml;q=7, application/json', JSON_TYPE],
    ['application/xml;q=1.000, application/json;q=0.999', XML],
    ['application/xml;q=1., application/json;q=0.9', XML],
    ['application/xml;q=x', JSON_TYPE],
    ['application/xml;q=', JSON_TYPE],
    ['application/xml;q=-1', JSON_TYPE],
    ['application/xml;q=1e0', JSON_TYPE],
    ['application/xml;q="1"', JSON_TYPE],
    ['application/xml;q=NaN', JSON_TYPE],
    ['application/xml;quality=0', XML],
    [`${'a/b,'.repeat(63)}application/xml`, XML],
    [`${'a/b,'.repeat(64)}application/xml`, JSON_TYPE],
  ]
  for (const [accept, type] of rows) t.equal(negotiateType(accept), type, accept.slice(-60))
})

t.test('selects JSON for hostile headers of 100 KB [ACCEPT-2]', async t => {
  for (const piece of [',', ';', '"', '\\', '"\\', '*', '/', 'q=', ';q=', ' ', '\t;', 'a/b;', 'x', '1']) {
    t.equal(negotiateType(piece.repeat(100_000 / piece.length)), JSON_TYPE, piece)
  }
  t.equal(negotiateType(`application/xml;q=${'0'.repeat(100_000)}`), JSON_TYPE)
  t.equal(negotiateType(`application/xml;${' '.repeat(100_000)}q=1`), XML)
  t.equal(negotiateType(`application/xml;q=${'9'.repeat(100_000)}`), XML)
})

t.test('applies the same rules to any list of types', async t => {
  const rows: [accept: string, type: string | null][] = [
    ['*/*', 'image/webp'],
    ['image/webp;q=0, image/*', 'image/png'],
    ['image/*;q=0.5, image/png', 'image/png'],
    ['IMAGE/PNG;q=0.2, image/webp;q=0.1', 'image/png'],
    ['text/html', null],
    ['image/*;q=0', null],
    ['', null],
  ]
  for (const [accept, type] of rows) t.equal(preferredType(accept, ['image/webp', 'image/png']), type, accept)
})
