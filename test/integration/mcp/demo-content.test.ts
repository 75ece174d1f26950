/** The demo content without a server: arithmetic, weather, time, images, customers, masking. */
import t from 'tap'
import { PNG } from 'pngjs'
import { records } from '../../../plugins/demo-data/records.ts'
import { ArithmeticError, evaluate } from '../../../plugins/mcp/demo/arithmetic.ts'
import { timeIn } from '../../../plugins/mcp/demo/clock.ts'
import { Crm } from '../../../plugins/mcp/demo/crm.ts'
import { maskedHeaders, maskedUri } from '../../../plugins/mcp/demo/masking.ts'
import { crc32, drawPattern } from '../../../plugins/mcp/demo/png.ts'
import { weatherOf } from '../../../plugins/mcp/demo/weather.ts'
import { WAV } from '../../../plugins/mcp/conformance/contents.ts'

// Starting and stopping dozens of servers takes long on a busy machine.
t.setTimeout(600_000)

t.test('arithmetic has the usual operator precedence [MCP-21]', async t => {
  const table: [string, number][] = [
    ['2+3', 5],
    ['2 + 3 * 4', 14],
    ['(2+3)*4', 20],
    ['10-4-3', 3],
    ['7 % 4', 3],
    ['-7 % 4', -3],
    ['2^3^2', 512],
    ['-2^2', -4],
    ['2^-1', 0.5],
    ['(-2)^2', 4],
    ['1.5*.5', 0.75],
    ['--3', 3],
    ['+-+3', -3],
    ['8/4/2', 1],
    ['\t 1 +\n1 ', 2],
    ['0 * -1', 0],
    ['2*(3+4)^2', 98],
    [`${'('.repeat(64)}1${')'.repeat(64)}`, 1],
  ]
  for (const [expression, result] of table) t.equal(evaluate(expression), result, expression)
})

t.test('arithmetic errors name the position of the problem [MCP-21]', async t => {
  const table: [string, RegExp][] = [
    ['', /unexpected end .* at position 0/],
    ['2+', /unexpected end .* at position 2/],
    ['2 3', /unexpected "3" .* at position 2/],
    ['process.exit()', /unexpected "p" .* at position 0/],
    ['(1', /expected "\)"\) at position 2/],
    ['1)', /unexpected "\)" .* at position 1/],
    ['1/0', /not finite at position 1/],
    ['0/0', /not finite at position 1/],
    ['9^999', /not finite at position 1/],
    ['(-8)^.5', /not finite at position 4/],
    ['1e5', /unexpected "e" .* at position 1/],
    ['1..2', /unexpected "\." .* at position 1/],
    [`${'('.repeat(300)}1${')'.repeat(300)}`, /nested deeper than 64 levels at position 65/],
    ['-'.repeat(512), /nested deeper/],
    ['2**3', /unexpected "\*"/],
    ['alert`1`', /unexpected "a"/],
  ]
  for (const [expression, problem] of table) {
    t.throws(() => evaluate(expression), problem, expression.slice(0, 20))
    try {
      evaluate(expression)
    } catch (error) {
      t.ok(error instanceof ArithmeticError)
    }
  }
})

t.test('the weather in a city is always the same, regardless of spaces and case [MCP-20]', async t => {
  t.strictSame(weatherOf('  LISBON '), { ...weatherOf('lisbon'), city: 'LISBON' })
  for (const city of ['Lisbon', 'Tokyo', 'São Paulo', '東京', 'x']) {
    const weather = weatherOf(city)
    t.ok(
      weather.temperature >= -5 &&
        weather.temperature <= 29 &&
        weather.humidity >= 30 &&
        weather.humidity <= 89 &&
        weather.windKph >= 2 &&
        weather.windKph <= 41,
      city,
    )
    t.equal(weatherOf(city, 'imperial').temperature, Math.trunc((weather.temperature * 9) / 5 + 32), city)
  }
  // FNV-1a 64 of "a" is af63dc4c8601ec8c.
  const hash = 0xaf63dc4c8601ec8cn
  t.match(weatherOf('A'), {
    temperature: Number(hash % 35n) - 5,
    humidity: 30 + Number((hash / 7n) % 60n),
    windKph: 2 + Number((hash / 11n) % 40n),
    unit: 'C',
  })
})

t.test('the time in a time zone has its offset [MCP-20]', async t => {
  const moment = Date.UTC(2026, 6, 28, 12, 0, 5, 900)
  t.strictSame(timeIn('UTC', moment), {
    iso: '2026-07-28T12:00:05+00:00',
    unix: Math.floor(moment / 1000),
    utcOffset: '+00:00',
  })
  t.equal(timeIn('Asia/Kolkata', moment)?.iso, '2026-07-28T17:30:05+05:30')
  t.equal(timeIn('America/New_York', moment)?.iso, '2026-07-28T08:00:05-04:00')
  t.equal(timeIn('America/St_Johns', Date.UTC(2026, 0, 1))?.iso, '2025-12-31T20:30:00-03:30')
  for (const zone of ['Mars/Olympus', '', '../etc/passwd', 'x'.repeat(100)]) t.equal(timeIn(zone, moment), null, zone)
})

t.test('images are valid PNG, and the same for the same text [MCP-20]', async t => {
  t.equal(crc32(Buffer.from('123456789')), 0xcbf43926)
  for (const size of [1, 2, 16, 64]) {
    const image = PNG.sync.read(drawPattern('a gateway', size))
    t.strictSame([image.width, image.height], [size, size])
  }
  t.ok(drawPattern('a', 16).equals(drawPattern('a', 16)))
  t.notOk(drawPattern('a', 16).equals(drawPattern('b', 16)))
  const wav = Buffer.from(WAV, 'base64')
  t.equal(wav.readUInt32LE(4), wav.length - 8, 'the RIFF length is right')
})

t.test('customers are found by id, email address and part of the name [MCP-20]', async t => {
  const crm = new Crm(records)
  const table: [string, string | undefined][] = [
    ['u3', 'u3'],
    ['U3', 'u3'],
    ['EVA@example.com', 'u5'],
    ['martinez', 'u2'],
    ['a', 'u1'],
    ['nobody', undefined],
    ['', undefined],
    [' ', undefined],
  ]
  for (const [text, id] of table) t.equal(crm.findCustomer(text)?.id, id, text)
  t.strictSame(
    crm.customers.map(customer => [customer.id, customer.tier, crm.lifetimeValue(customer)]),
    [
      ['u1', 'gold', 354.96],
      ['u2', 'silver', 854.95],
      ['u3', 'gold', 1059.94],
      ['u4', 'bronze', 151.97],
      ['u5', 'silver', 0],
    ],
  )
  t.strictSame(crm.order('o7'), {
    id: 'o7',
    customerId: 'u2',
    status: 'shipped',
    total: 254.96,
    createdAt: '2024-07-01T08:00:00Z',
    items: [
      { product: 'Resistance Bands Set', quantity: 3 },
      { product: 'Running Shoes', quantity: 1 },
    ],
  })
})

t.test('credentials of a returned request are masked [MCP-20]', async t => {
  const raw = [
    ':path',
    '/mcp',
    'Host',
    'x',
    'Authorization',
    'Bearer abcdefghijkl',
    'X-API-Key',
    'short',
    'Cookie',
    'sid=1; theme=dark',
    'Accept',
    'a',
    'accept',
    'b',
    '__proto__',
    'c',
    'X-Svc-Key',
    'k'.repeat(20),
  ]
  const headers = maskedHeaders(raw)
  t.equal(headers.authorization, 'Bearer abcdef... (12 chars, masked)')
  t.equal(headers['x-api-key'], '... (5 chars, masked)')
  t.equal(headers.cookie, 'sid=1;... (17 chars, masked)')
  t.equal(headers['x-svc-key'], 'kkkkkk... (20 chars, masked)')
  t.strictSame(headers.accept, ['a', 'b'])
  t.ok(Object.hasOwn(headers, '__proto__'))
  t.notOk(Object.hasOwn(headers, ':path'), 'no header')
  t.equal(
    maskedUri('/mcp?rb_key=abcdefghijkl&x=1&svc_key=abc'),
    '/mcp?rb_key=abcdef... (12 chars, masked)&x=1&svc_key=... (3 chars, masked)',
  )
  t.equal(maskedUri('/mcp'), '/mcp')
})
