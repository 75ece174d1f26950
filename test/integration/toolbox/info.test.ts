/** Addresses, dates, random values. */
import t from 'tap'
import { randomBetween, readBound } from '../../../plugins/info/random-integer.ts'
import { createZoneClock } from '../../../plugins/info/zone-clock.ts'
import { checkRefusals, readXml } from '../../support/refusals.ts'
import { send } from '../../support/request.ts'
import { serve } from '../../support/server.ts'

const { url } = await serve(t)
const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/
const GUUID = /^\{[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}\}$/

t.test('the address is listed under its family [INFO-1]', async t => {
  t.equal((await send(url, '/ip')).text, '{"ipv4":"127.0.0.1","ipv6":null}')
  t.equal((await send(url, '/ip/v4')).text, '{"ipv4":"127.0.0.1"}')
  t.equal((await send(url, '/ip/v6')).text, '{"ipv6":null}')
  t.same(readXml((await send(url, '/ip', { headers: { Accept: 'application/xml' } })).text), {
    ipv4: '127.0.0.1',
    ipv6: '',
  })

  const { url: behind } = await serve(t, { env: { SVC_TRUST_FORWARD: 'true' } })
  for (const [address, reply] of [
    ['2001:db8::1', { ipv4: null, ipv6: '2001:db8::1' }],
    ['203.0.113.9', { ipv4: '203.0.113.9', ipv6: null }],
    ['::ffff:203.0.113.9', { ipv4: '203.0.113.9', ipv6: null }],
  ] as const) {
    t.same((await send(behind, '/ip', { headers: { 'X-Forwarded-For': address } })).json(), reply, address)
  }
})

t.test('a listener for both families sees mapped addresses as IPv4 [INFO-1]', async t => {
  const { ports } = await serve(t, { env: { SVC_HOST: '::' } })
  t.equal((await send(`http://127.0.0.1:${ports.http}`, '/ip')).text, '{"ipv4":"127.0.0.1","ipv6":null}')
  t.equal((await send(`http://[::1]:${ports.http}`, '/ip')).text, '{"ipv4":null,"ipv6":"::1"}')
})

t.test('returns date and time, in UTC and in zones named as requested [INFO-2]', async t => {
  const before = Date.now()
  const { time } = (await send(url, '/time')).json<{ time: string }>()
  t.ok(Date.parse(time) >= before && Date.parse(time) <= Date.now())
  t.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  t.match((await send(url, '/date')).text, /^\{"date":"\d{4}-\d\d-\d\d","timezone":"UTC"\}$/)
  for (const zone of [
    'UTC',
    'Asia/Kolkata',
    'asia/kolkata',
    'Asia/Calcutta',
    'America/Argentina/Salta',
    'Etc/GMT+5',
    'Pacific/Kiritimati',
    'America/Port-au-Prince',
    'EST5EDT',
    'Asia%2FTokyo',
  ]) {
    const timezone = decodeURIComponent(zone)
    const now = (await send(url, `/time/${zone}`)).json<{ time: string }>()
    t.match(now, { time: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d$/, timezone }, zone)
    t.ok(Math.abs(Date.parse(now.time) - Date.now()) < 5000, `${zone} is the same moment`)
    t.match((await send(url, `/date/${zone}`)).json(), { date: /^\d{4}-\d\d-\d\d$/, timezone })
  }
})

t.test('uses the offsets and days of the database [INFO-2]', async t => {
  const tell = createZoneClock()
  const rows: [zone: string, at: string, time: string][] = [
    ['Europe/Berlin', '2026-01-15T23:30:00.123Z', '2026-01-16T00:30:00.123+01:00'],
    ['Europe/Berlin', '2026-07-15T12:00:00.000Z', '2026-07-15T14:00:00.000+02:00'],
    ['Asia/Kolkata', '2026-05-04T12:00:00.007Z', '2026-05-04T17:30:00.007+05:30'],
    ['Asia/Kathmandu', '2026-05-04T18:15:00.000Z', '2026-05-05T00:00:00.000+05:45'],
    ['Pacific/Kiritimati', '2025-12-31T10:00:00.000Z', '2026-01-01T00:00:00.000+14:00'],
    ['America/St_Johns', '2026-01-01T00:00:00.000Z', '2025-12-31T20:30:00.000-03:30'],
    ['Etc/GMT+5', '2026-01-01T00:00:00.000Z', '2025-12-31T19:00:00.000-05:00'],
    ['Europe/London', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000+00:00'],
    ['utc', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000+00:00'],
  ]
  for (const [zone, at, time] of rows) {
    t.same(tell(zone, new Date(at)), { time, date: time.slice(0, 10) }, zone)
    t.same(tell(zone.toUpperCase(), new Date(at)), tell(zone, new Date(at)), 'any case')
  }
  for (const zone of Intl.supportedValuesOf('timeZone')) if (tell(zone, new Date(0)) === null) t.fail(zone)
})

t.test('rejects offsets and unknown names as zones [INFO-3]', async t => {
  const names = [
    '+02:00',
    '-05:00',
    '%2B0200',
    'GMT+5',
    'UTC+1',
    'Z',
    'Mars/Olympus',
    'Europe',
    'Europe/',
    '/Europe/Berlin',
    '',
    'Europe/Berlin/',
    'Europe//Berlin',
    'Europe%20Berlin',
    'Europe/Berl%C3%ADn',
    '__proto__',
    '..',
    'a'.repeat(5000),
    'localtime',
    '0',
    'null',
    '%00',
  ]
  await checkRefusals(
    t,
    url,
    names.flatMap(name =>
      ['time', 'date'].map(what => ({ path: `/${what}/${name}`, status: 404, error: 'unknown_timezone' })),
    ),
    { negotiated: true },
  )
})

t.test('UUIDs are version 4 and unique [INFO-4]', async t => {
  const seen = new Set<unknown>()
  for (let index = 0; index < 20; index++) {
    const { uuid } = (await send(url, '/uuid')).json()
    const { guuid } = (await send(url, '/guuid')).json()
    t.match(uuid, UUID)
    t.match(guuid, GUUID)
    seen.add(uuid).add(guuid)
  }
  t.equal(seen.size, 40)
})

t.test('random values of each kind are within their bounds [INFO-5]', async t => {
  const values = (await send(url, '/random')).json()
  t.strictSame(Object.keys(values), ['int', 'uint', 'uuid', 'guuid', 'lorem_ipsum'])
  t.match(values, { uuid: UUID, guuid: GUUID, lorem_ipsum: /^Lorem ipsum dolor sit amet/ })
  const within = (value: unknown, lower: number, upper: number): boolean =>
    Number.isInteger(value) && (value as number) >= lower && (value as number) <= upper
  t.ok(within(values.int, -32_000, 32_000) && within(values.uint, 0, 65_535))
  for (let index = 0; index < 20; index++) {
    t.ok(within((await send(url, '/random/int')).json().value, -32_000, 32_000))
    t.ok(within((await send(url, '/random/uint')).json().value, 0, 65_535))
    t.ok(within((await send(url, '/random/int/-3/3')).json().value, -3, 3))
  }
})

t.test('random integers are uniform, include both bounds, and keep exact digits [INFO-5]', async t => {
  const counts = new Map<bigint, number>()
  for (let index = 0; index < 6000; index++) {
    const value = randomBetween(-1n, 4n)
    counts.set(value, (counts.get(value) ?? 0) + 1)
  }
  t.same(
    [...counts.keys()].sort((a, b) => Number(a - b)),
    [-1n, 0n, 1n, 2n, 3n, 4n],
  )
  // 1000 expected, deviation 29: a fair draw misses this once in a billion runs.
  t.ok(
    [...counts.values()].every(count => count > 800 && count < 1200),
    `${[...counts.values()]}`,
  )

  const ends: [string, string][] = [
    ['9223372036854775806', '9223372036854775807'],
    ['-9223372036854775808', '-9223372036854775807'],
    ['9007199254740993', '9007199254740994'],
  ]
  for (const [lower, upper] of ends) {
    t.ok(
      [lower, upper].includes(
        /^\{"value":(-?\d+)\}$/.exec((await send(url, `/random/int/${lower}/${upper}`)).text)![1]!,
      ),
      `${lower} to ${upper}`,
    )
    const xml = await send(url, `/random/int/${lower}/${upper}`, { headers: { Accept: 'application/xml' } })
    t.ok([lower, upper].includes(/<value>(-?\d+)<\/value>/.exec(xml.text)![1]!), 'in XML too')
  }
  const reply = await send(url, '/random/int/-9223372036854775808/9223372036854775807')
  t.match(reply, { status: 200, headers: { vary: 'Accept', 'content-type': 'application/json; charset=utf-8' } })
  t.equal(readBound('-0'), 0n)
  t.equal(readBound(`-${'0'.repeat(16_000)}7`), -7n)
})

t.test('rejects invalid ranges [INFO-5]', async t => {
  const bounds = [
    '6/1',
    '3/3',
    '0/-0',
    '1.5/3',
    '1/3.0',
    '+1/3',
    'a/3',
    '1/',
    '/1',
    '1e3/2e3',
    '0x1/9',
    '--1/3',
    '9223372036854775807/9223372036854775808',
    '-9223372036854775809/0',
    '0/99999999999999999999',
    `${'0'.repeat(15_000)}x/3`,
    `0/${'9'.repeat(15_000)}`,
    '%20/3',
    '__proto__/3',
  ]
  await checkRefusals(
    t,
    url,
    bounds.map(range => ({ path: `/random/int/${range}`, error: 'invalid_range' })),
    { negotiated: true },
  )
  for (const path of ['/random/int/1', '/random/int/1/2/3', '/random/x', '/uuid/'])
    t.equal((await send(url, path)).status, 404, path)
})

t.test('filler text has the requested number of paragraphs [INFO-6]', async t => {
  for (const [path, count] of [
    ['/random/lorem-ipsum', 1],
    ['/random/lorem-ipsum/1', 1],
    ['/random/lorem-ipsum/32', 32],
    ['/random/lorem-ipsum/007', 7],
  ] as const) {
    const { paragraphs } = (await send(url, path)).json<{ paragraphs: string[] }>()
    t.equal(paragraphs.length, count, path)
    t.ok(paragraphs[0]!.startsWith('Lorem ipsum dolor sit amet'))
    t.ok(count === 1 || paragraphs[0] !== paragraphs[1], 'different ones in turn')
  }
  await checkRefusals(
    t,
    url,
    ['0', '33', '-1', '1.5', 'abc', '', '99999999999999999999'].map(count => ({
      path: `/random/lorem-ipsum/${count}`,
      error: 'invalid_count',
    })),
    { negotiated: true },
  )
})

t.test('every route negotiates, supports HEAD and rejects other methods [TOOL-1, TOOL-3, TOOL-5]', async t => {
  for (const path of [
    '/ip',
    '/ip/v4',
    '/ip/v6',
    '/date',
    '/date/UTC',
    '/time',
    '/time/UTC',
    '/uuid',
    '/guuid',
    '/random',
    '/random/int',
    '/random/uint',
    '/random/int/1/9',
    '/random/lorem-ipsum',
    '/random/lorem-ipsum/2',
  ]) {
    const xml = await send(url, path, { headers: { Accept: 'application/xml' } })
    t.match(xml, { status: 200, headers: { 'content-type': 'application/xml; charset=utf-8', vary: 'Accept' } }, path)
    t.same(Object.keys(readXml(xml.text)), Object.keys((await send(url, path)).json()), `${path}: the same members`)
    t.match(
      await send(url, path, { method: 'HEAD' }),
      { status: 200, text: '', headers: { vary: 'Accept' } },
      `HEAD ${path}`,
    )
    t.equal((await send(url, path, { method: 'POST' })).status, 405, `POST ${path}`)
  }
})
