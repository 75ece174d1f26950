/** Single header fields: tokens, cookies, content codings. */
import t from 'tap'
import { fieldProblem, headerProblem, isToken, parseCookies, preferredCoding } from 'svc/toolkit'

t.test('a token consists only of the characters of RFC 9110, 5.6.2', async t => {
  const characters = "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
  for (let code = 0; code < 256; code++) {
    const character = String.fromCharCode(code)
    t.equal(isToken(character), characters.includes(character), JSON.stringify(character))
  }
  for (const text of ['', 'a b', 'a\n', 'ä']) t.equal(isToken(text), false, JSON.stringify(text))
  t.equal(headerProblem('a b', 'x'), 'name')
})

t.test('what keeps a header from data from being sent is named', async t => {
  const rows: [name: string, value: string, problem: string | null][] = [
    ['x-a', 'a\tb é', null],
    ['bad name', 'a', '"bad name" is not a valid header name'],
    ['x-a', 'a\r\nb', 'the value of the header "x-a" has a line break'],
    ['x-a', '\u2603', 'the value of the header "x-a" has the character U+2603, which headers can\'t have'],
    ['x-a', 'a\u{1f600}', 'the value of the header "x-a" has the character U+1F600, which headers can\'t have'],
    ['x-a', 'a\0', 'the value of the header "x-a" has the character U+0000, which headers can\'t have'],
    ['x-a', '\ud800', 'the value of the header "x-a" has the character U+D800, which headers can\'t have'],
  ]
  for (const [name, value, problem] of rows) t.equal(fieldProblem(name, value), problem, JSON.stringify(value))
})

t.test('cookies are parsed as sent, the first of a name counts', async t => {
  const rows: [header: string | undefined, cookies: [string, string][]][] = [
    [undefined, []],
    ['', []],
    [';;; ;', []],
    ['d', []],
    [
      'a=1; b=2;c=3 ',
      [
        ['a', '1'],
        ['b', '2'],
        ['c', '3'],
      ],
    ],
    ['a=1; a=2', [['a', '1']]],
    [
      'a=; b==x=',
      [
        ['a', ''],
        ['b', '=x='],
      ],
    ],
    [
      'q="a b"; p=%20%zz',
      [
        ['q', '"a b"'],
        ['p', '%20%zz'],
      ],
    ],
    ['__proto__=x', [['__proto__', 'x']]],
  ]
  for (const [header, cookies] of rows) t.same([...parseCookies(header)], cookies, String(header))
})

t.test('the coding that a client prefers is selected among the available ones', async t => {
  const rows: [header: string | undefined, coding: string][] = [
    [undefined, 'identity'],
    ['gzip', 'gzip'],
    ['gzip, zstd', 'zstd'],
    ['gzip;q=0.8, zstd;q=0.5', 'gzip'],
    ['br', 'identity'],
    ['*', 'zstd'],
    ['identity, gzip;q=0.1', 'identity'],
    ['*;q=0', 'identity'],
  ]
  for (const [header, coding] of rows) t.equal(preferredCoding(header, ['zstd', 'gzip']), coding, String(header))
  t.equal(preferredCoding(`${'a,'.repeat(40)}gzip`, ['gzip']), 'identity', 'a long list is not read to its end')
})
