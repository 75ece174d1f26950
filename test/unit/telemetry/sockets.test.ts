/** Messages of syslog and StatsD, and how they are split. */
import t from 'tap'
import { logOfMessage } from '../../../plugins/telemetry/syslog/message.ts'
import { Framing, MAX_MESSAGE_BYTES } from '../../../plugins/telemetry/sockets/framing.ts'
import { reportsOf } from '../../../plugins/telemetry/statsd/line.ts'

const syslog = (text: string) => logOfMessage(Buffer.from(text), new Map()).record

t.test('RFC 5424 [GWT-13]', async t => {
  const example = syslog(
    '<165>1 2003-10-11T22:14:15.003Z mymachine.example.com evntslog - ID47 [exampleSDID@32473 iut="3" event="A \\"b\\" \\]"][x@1 y="z"] \ufeffAn event\n',
  )
  t.match(example, {
    time: '2003-10-11T22:14:15.003Z',
    severity: 'notice',
    service: 'evntslog',
    body: 'An event',
    source: 'syslog',
    attributes: {
      host: 'mymachine.example.com',
      message_id: 'ID47',
      'exampleSDID@32473.iut': '3',
      'exampleSDID@32473.event': 'A "b" ]',
      'x@1.y': 'z',
    },
  })
  t.match(syslog('<34>1 - - - - - -'), { severity: 'crit', service: null, body: '', attributes: {} })
  t.match(syslog('<34>1 - - app 7 - - {"method":"GET","status":503,"request_id":"s-1"}'), {
    service: 'app',
    method: 'GET',
    status: 503,
    request_id: 's-1',
    attributes: { method: 'GET', process_id: '7' },
  })
  t.match(syslog('<34>1 - - app - - [broken x'), { body: '[broken x' }, 'structured data that is broken is text')
})

t.test('RFC 3164, and what resembles it [GWT-13]', async t => {
  const older = syslog("<34>Oct 11 22:14:15 mymachine su[42]: 'su root' failed")
  t.match(older, {
    severity: 'crit',
    service: 'su',
    body: "'su root' failed",
    attributes: { host: 'mymachine', process_id: '42' },
  })
  t.match(older.time, /^20\d\d-10-11T22:14:15\.000Z$/)
  t.ok(Math.abs(Date.parse(older.time) - Date.now()) < 190 * 86_400_000, 'of the nearest year')
  t.match(syslog('<190>Oct  1 02:03:04 nginx: {"status":"404","request_uri":"/x"}'), {
    severity: 'info',
    service: 'nginx',
    status: 404,
    path: '/x',
  })
  t.match(syslog('<14>haproxy[1]: hello'), { service: 'haproxy', body: 'hello' })
  t.match(syslog('no priority'), { severity: null, service: null, body: 'no priority' })
  t.match(syslog('<999>x'), { severity: null, body: '<999>x' })
  t.match(syslog('<34>Feb 31 22:14:15 host app: x'), { body: 'x' })
})

t.test('StatsD and DogStatsD [GWT-13]', async t => {
  const metric = (line: string): object[] => reportsOf(line).map(({ report }) => report.record)
  t.match(metric('envoy.http.rq:1|c'), [{ name: 'envoy.http.rq', kind: 'counter', value: 1, source: 'statsd' }])
  t.match(metric('a:2|c|@0.5'), [{ value: 4 }])
  t.match(metric('a:-2.5|g'), [{ kind: 'gauge', value: -2.5 }])
  t.match(metric('a:12|ms|@0.1'), [{ kind: 'timer', value: 12, unit: 'ms', count: 10 }])
  t.match(metric('a:1:2:3|h'), [{ kind: 'histogram', value: 1 }, { value: 2 }, { value: 3 }])
  t.match(metric('a:5|d|#env:prod,flag,url:http://x,svc.session:demo'), [
    { kind: 'histogram', attributes: { env: 'prod', flag: true, url: 'http://x' } },
  ])
  t.equal(reportsOf('a:5|d|#svc.session:demo')[0]!.report.named, 'demo')
  t.match(metric('users:ada|s'), [{ kind: 'set', value: null, attributes: { value: 'ada' } }])
  t.match(metric('_e{5,4}:title|text|t:error|d:1767225600|#a:b'), [
    { severity: 'error', body: 'text', time: '2026-01-01T00:00:00.000Z', attributes: { title: 'title', a: 'b' } },
  ])
  t.match(metric('_sc|gateway.up|2|m:down|#a:b'), [
    { severity: 'critical', body: 'down', attributes: { check: 'gateway.up', a: 'b' } },
  ])
  for (const line of [
    'a',
    'a:1',
    ':1|c',
    'a:1|x',
    'a:x|c',
    'a:|g',
    'a:1|c|@0',
    'a:1|c|@2',
    '_e{9,9}:a|b',
    '_e{x',
    '_sc|a|9',
  ])
    t.throws(() => reportsOf(line), line)
})

t.test('messages in a stream have a length or end with a line feed [GWT-13]', async t => {
  const split = (bytes: Buffer, size: number, countsOctets = true): string[] => {
    const messages: string[] = []
    const framing = new Framing(
      { message: one => messages.push(one.toString()), tooLong: () => messages.push('too long') },
      { countsOctets },
    )
    for (let at = 0; at < bytes.length; at += size) framing.add(bytes.subarray(at, at + size))
    framing.end()
    return messages
  }
  const mixed = Buffer.from('6 <1>a\nb<2>line\n\n5 <3>ää<4>rest')
  for (const size of [1, 2, 3, 7, 100])
    t.strictSame(split(mixed, size), ['<1>a\nb', '<2>line', '<3>ä', 'ä<4>rest'], `${size}`)
  t.strictSame(split(Buffer.from('7 1|c\na:2|c\n'), 100, false), ['7 1|c', 'a:2|c'])
  const long = Buffer.concat([Buffer.alloc(MAX_MESSAGE_BYTES + 10, 'x'), Buffer.from('\n<1>next\n')])
  t.strictSame(split(long, 1000), ['too long', '<1>next'])
  const counted = Buffer.concat([Buffer.from('70000 '), Buffer.alloc(70_000, 'y'), Buffer.from('4 <1>z')])
  t.strictSame(split(counted, 1000), ['too long', '<1>z'])
  t.strictSame(split(Buffer.from('100 <1>cut'), 3), [], 'a counted message that is cut off is dropped')
})
