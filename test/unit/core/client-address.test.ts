/** The client IP: address syntax, sources and their order, internal ranges. */
import t from 'tap'
import { createClientAddress, isInternal, parseAddress } from '../../../core/http/request/client-address.ts'

const trusting = createClientAddress({ trustForward: true })
const direct = createClientAddress({ trustForward: false })

t.test('parses an address as written by proxies [IP-2]', async t => {
  const rows: [text: string, printed: string][] = [
    ['1.2.3.4', '1.2.3.4'],
    ['1.2.3.4:567', '1.2.3.4'],
    ['2001:db8::1', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['"1.2.3.4"', '1.2.3.4'],
    ['"1.2.3.4:567"', '1.2.3.4'],
    ['"2001:db8::1"', '2001:db8::1'],
    ['"[2001:db8::1]:443"', '2001:db8::1'],
    ['  1.2.3.4\t', '1.2.3.4'],
    ['" 1.2.3.4 "', '1.2.3.4'],
    ['::ffff:1.2.3.4', '1.2.3.4'],
    ['[::FFFF:102:304]:80', '1.2.3.4'],
    ['2001:0DB8:0000:0000:0000:0000:0000:0001', '2001:db8::1'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['::', '::'],
    ['255.255.255.255:65535', '255.255.255.255'],
  ]
  for (const [text, printed] of rows) t.equal(parseAddress(text), printed, text)
})

t.test('accepts nothing else as an address [IP-2]', async t => {
  const texts = [
    '',
    ' ',
    '""',
    '"',
    'unknown',
    '_hidden',
    'example.com',
    'example.com:80',
    'localhost',
    '1.2.3',
    '1.2.3.4.5',
    '256.1.1.1',
    '01.2.3.4',
    '0x7f.1',
    '2130706433',
    '1.2.3.4:',
    '1.2.3.4:0',
    '1.2.3.4:65536',
    '1.2.3.4:x',
    '1.2.3.4:-1',
    '1.2.3.4:_p',
    'fe80::1%eth0',
    '[fe80::1%eth0]',
    '[fe80::1%25eth0]:80',
    '[1.2.3.4]',
    '[2001:db8::1',
    '2001:db8::1]',
    '[]',
    '[]:80',
    '[2001:db8::1]443',
    '[2001:db8::1]:',
    '[2001:db8::1]:x',
    '[[::1]]',
    '2001:db8::g',
    '2001:db8:::1',
    ':::',
    '1.2.3.4/24',
    '1.2.3.4 5',
    '1.2.3.4,5.6.7.8',
    '\u0661.2.3.4',
    '"1.2.3.4',
    '1.2.3.4"',
    `${' '.repeat(80)}1.2.3.4`,
    '1'.repeat(100_000),
    ':'.repeat(100_000),
    '['.repeat(100_000),
    '"'.repeat(100_000),
    ' '.repeat(100_000),
  ]
  for (const text of texts) t.equal(parseAddress(text), null, text.slice(0, 40))
})

t.test('recognizes internal addresses [IP-6]', async t => {
  const internal = [
    '127.0.0.1',
    '127.255.255.255',
    '10.0.0.0',
    '10.255.255.255',
    '172.16.0.0',
    '172.31.255.255',
    '192.168.0.1',
    '169.254.1.1',
    '100.64.0.0',
    '100.127.255.255',
    '0.0.0.0',
    '::',
    '::1',
    'fc00::1',
    'fdff::1',
    'fe80::1',
    'febf::1',
    '::ffff:10.0.0.1',
    '::ffff:7f00:1',
  ]
  const external = [
    '1.2.3.4',
    '9.255.255.255',
    '11.0.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.1.1',
    '169.253.1.1',
    '100.63.255.255',
    '100.128.0.0',
    '0.0.0.1',
    '203.0.113.9',
    '224.0.0.1',
    '255.255.255.255',
    '::2',
    '2001:db8::1',
    'fbff::1',
    'fe00::1',
    'fec0::1',
    'ff02::1',
  ]
  for (const text of internal) t.equal(isInternal(parseAddress(text)!), true, text)
  for (const text of external) t.equal(isInternal(parseAddress(text)!), false, text)
})

t.test('is the peer without trust [IP-1]', async t => {
  const forged = {
    'fly-client-ip': '9.9.9.9',
    forwarded: 'for=9.9.9.9',
    'x-forwarded-for': '9.9.9.9',
    'x-real-ip': '9.9.9.9',
  }
  t.equal(direct(forged, '127.0.0.1'), '127.0.0.1')
  t.equal(direct(forged, '::ffff:10.1.2.3'), '10.1.2.3')
  t.equal(direct({}, '2001:db8::1'), '2001:db8::1')
  t.equal(direct({}, '::ffff:a00:1'), '::ffff:a00:1')
  t.equal(direct({}, ''), '')
})

const PEER = '::ffff:10.0.0.1'

t.test('checks the sources in order [IP-3]', async t => {
  const rows: [headers: Record<string, string>, expected: string][] = [
    [{}, '10.0.0.1'],
    [{ 'x-real-ip': '4.4.4.4' }, '4.4.4.4'],
    [{ 'x-real-ip': '10.9.9.9' }, '10.9.9.9'],
    [{ 'x-forwarded-for': '3.3.3.3', 'x-real-ip': '4.4.4.4' }, '3.3.3.3'],
    [{ forwarded: 'for=2.2.2.2', 'x-forwarded-for': '3.3.3.3', 'x-real-ip': '4.4.4.4' }, '2.2.2.2'],
    [{ 'fly-client-ip': '1.1.1.1', forwarded: 'for=2.2.2.2', 'x-forwarded-for': '3.3.3.3' }, '1.1.1.1'],
    [{ 'fly-client-ip': '192.168.0.9', forwarded: 'for=2.2.2.2' }, '192.168.0.9'],
    [
      {
        'fly-client-ip': 'unknown',
        forwarded: 'for=unknown, for=_x',
        'x-forwarded-for': 'a, b',
        'x-real-ip': '4.4.4.4',
      },
      '4.4.4.4',
    ],
    [{ 'fly-client-ip': '', forwarded: 'proto=https', 'x-forwarded-for': ',,', 'x-real-ip': '' }, '10.0.0.1'],
    [{ forwarded: 'for=10.0.0.2', 'x-forwarded-for': '3.3.3.3' }, '10.0.0.2'],
  ]
  for (const [headers, expected] of rows) t.equal(trusting(headers, PEER), expected, JSON.stringify(headers))
})

t.test('selects the rightmost external address, else the leftmost valid one [IP-4]', async t => {
  const rows: [headers: Record<string, string>, expected: string][] = [
    [{ 'x-forwarded-for': '9.9.9.9, 203.0.113.9, 10.0.0.3' }, '203.0.113.9'],
    [{ 'x-forwarded-for': '9.9.9.9,203.0.113.9' }, '203.0.113.9'],
    [{ 'x-forwarded-for': 'x, 10.0.0.5, 192.168.0.1, y' }, '10.0.0.5'],
    [{ 'x-forwarded-for': '2001:DB8::5, ::1, ::ffff:10.0.0.1' }, '2001:db8::5'],
    [{ 'x-forwarded-for': '"[2001:db8::7]:99", fe80::1' }, '2001:db8::7'],
    [{ forwarded: 'for=9.9.9.9;proto=https, FOR = "203.0.113.7:80" ;by=x, for="[::1]"' }, '203.0.113.7'],
    [{ forwarded: 'for="_gazonk", for=192.0.2.43, for=172.16.0.1' }, '192.0.2.43'],
    [{ forwarded: 'by="a,b;for=9.9.9.9";for=192.0.2.60' }, '192.0.2.60'],
    [{ forwarded: 'by="a\\",for=9.9.9.9";for=192.0.2.61' }, '192.0.2.61'],
    [{ forwarded: 'for=1.1.1.1;for=2.2.2.2' }, '1.1.1.1'],
    [{ forwarded: 'for="192.0.2.62' }, '10.0.0.1'],
  ]
  for (const [headers, expected] of rows) t.equal(trusting(headers, PEER), expected, JSON.stringify(headers))
})

t.test('reads a bounded number of entries [IP-5]', async t => {
  const inner = (count: number): string => Array.from({ length: count }, () => '10.0.0.9').join(', ')
  t.equal(trusting({ 'x-forwarded-for': `${inner(63)}, 5.5.5.5` }, PEER), '5.5.5.5')
  t.equal(trusting({ 'x-forwarded-for': `${inner(64)}, 5.5.5.5` }, PEER), '10.0.0.9')
  const hops = (count: number): string => Array.from({ length: count }, () => 'for=10.0.0.9').join(', ')
  t.equal(trusting({ forwarded: `${hops(31)}, for=5.5.5.5` }, PEER), '5.5.5.5')
  t.equal(trusting({ forwarded: `${hops(32)}, for=5.5.5.5` }, PEER), '10.0.0.9')
})

t.test('returns the peer for hostile headers of 100 KB [IP-2]', async t => {
  for (const piece of [',', ';', '"', '\\"', '=', 'for=', 'for="', '[', '1', ' ', '\t,', 'for=x;']) {
    const value = piece.repeat(100_000 / piece.length)
    t.equal(
      trusting({ 'fly-client-ip': value, forwarded: value, 'x-forwarded-for': value, 'x-real-ip': value }, PEER),
      '10.0.0.1',
      piece,
    )
  }
})
