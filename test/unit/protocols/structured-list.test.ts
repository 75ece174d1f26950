/** Lists of strings and tokens with parameters (RFC 9651), as `Proxy-Status` is one. */
import t from 'tap'
import { readItemList } from '../../../plugins/probe/client/structured-list.ts'

function read(text: string): unknown {
  return (
    readItemList(text)?.map(({ kind, text: value, parameters }) => [
      kind,
      value,
      Object.fromEntries([...parameters].map(([name, item]) => [name, `${item.kind} ${item.text}`])),
    ]) ?? null
  )
}

t.test('members are strings and tokens, with parameters of all kinds [PRB-32]', t => {
  t.same(read('a.b:80/x'), [['token', 'a.b:80/x', {}]])
  t.same(read('  "a \\"b\\\\" ,*c'), [
    ['string', 'a "b\\', {}],
    ['token', '*c', {}],
  ])
  t.same(read('gw; error=dns_error; received-status=502 ;details="x"'), null, 'no blank in front of a semicolon')
  t.same(read('gw; error=dns_error;  n=-5;d=1.5;b;f=?0;x=:YQ==:;s="t", y;b=1;b=2'), [
    [
      'token',
      'gw',
      {
        error: 'token dns_error',
        n: 'integer -5',
        d: 'decimal 1.5',
        b: 'boolean ?1',
        f: 'boolean ?0',
        x: 'bytes :YQ==:',
        s: 'string t',
      },
    ],
    ['token', 'y', { b: 'integer 2' }],
  ])
  t.end()
})

t.test('what is not such a list is null [PRB-32]', t => {
  for (const text of [
    '',
    ' ',
    ',a',
    'a,',
    'a b',
    'a;',
    'a;B=1',
    'a;b=',
    'a;b="x',
    'a;b=:x',
    'a;b=1.',
    '"é"',
    '"\\a"',
    '5',
    '?1',
    '(a b)',
    'a=b',
  ])
    t.equal(readItemList(text), null, JSON.stringify(text))
  t.end()
})

t.test('long values are read in one pass [PRB-32]', t => {
  const members = readItemList(Array.from({ length: 5000 }, () => 'a;b="\\\\"').join(', '))
  t.equal(members?.length, 5000)
  t.equal(readItemList(`${'a;b="\\\\", '.repeat(5000)}"`), null)
  t.end()
})
