/** The plan's arithmetic on a clock that is turned by hand: no HTTP here. */
import t from 'tap'
import type { PlanLimits } from '../../../core/config/plans.ts'
import { periodAt, secondsLeft } from '../../../core/limits/period.ts'
import { PlanLimiter, type AdmissionOptions, type Admission } from '../../../core/limits/plan-limiter.ts'
import { planRejection } from '../../../core/limits/plan-rejection.ts'
import { SessionCounters } from '../../../core/limits/session-counters.ts'
import { Counters } from '../../../core/limits/counters.ts'
import { TokenBucket } from '../../../core/limits/token-bucket.ts'
import { sessionKey } from '../../../core/sessions.ts'

const off: PlanLimits = {
  scope: 'instance',
  period: 'day',
  rps: null,
  burst: null,
  concurrency: null,
  streams: null,
  streamLifetimeSecs: null,
  requests: null,
  egressBytes: null,
}
const START = Date.UTC(2026, 2, 14, 12)

function limiterOf(limits: Partial<PlanLimits>) {
  const clock = { at: 0 }
  const limiter = new PlanLimiter({ ...off, ...limits }, { wall: () => START + clock.at, monotonic: () => clock.at })
  const admit = (options: Partial<AdmissionOptions> = {}, session = 'a') =>
    limiter.admit(sessionKey(session, '10.0.0.9'), { isStream: false, isBypassed: false, ...options })
  const lease = (options?: Partial<AdmissionOptions>, session?: string) => (admit(options, session) as Admission).lease
  const outcome = (options?: Partial<AdmissionOptions>, session?: string) => {
    const result = admit(options, session)
    return 'lease' in result ? 'admitted' : result.dimension
  }
  return { limiter, clock, admit, lease, outcome }
}

t.test('a bucket starts full, refills with fractions kept, and never holds more than it can [PLAN-3]', async t => {
  const bucket = new TokenBucket(2, 3, 0)
  t.equal(bucket.available(0), 3)
  for (let taken = 0; taken < 3; taken++) bucket.take()
  t.equal(bucket.available(0), 0)
  t.equal(bucket.available(400), 0.8)
  t.equal(bucket.available(499), 0.998)
  t.equal(bucket.available(500), 1)
  bucket.take()
  t.equal(bucket.available(750), 0.5)
  t.equal(bucket.available(100), 0.5, 'a clock that stands still adds nothing')
  t.equal(bucket.available(1e9), 3)
  bucket.giveBack()
  t.equal(bucket.available(1e9), 3)
})

t.test('a rejected request takes no token, and the rate holds over time [PLAN-2, PLAN-3]', async t => {
  const { clock, outcome } = limiterOf({ rps: 1, burst: 2 })
  t.strictSame([outcome(), outcome(), outcome(), outcome()], ['admitted', 'admitted', 'rps', 'rps'])
  clock.at = 999
  t.equal(outcome(), 'rps')
  clock.at = 1_000
  t.strictSame([outcome(), outcome()], ['admitted', 'rps'])
  let admitted = 0
  for (clock.at = 1_010; clock.at <= 101_000; clock.at += 10) if (outcome() === 'admitted') admitted++
  t.equal(admitted, 100)
})

t.test('the first limit in order names the rejection, and nothing is taken [PLAN-2]', async t => {
  const all = { requests: 1, egressBytes: 10, rps: 1, burst: 1, concurrency: 1, streams: 1 }
  const { limiter, lease, outcome } = limiterOf(all)
  const first = lease({ isStream: true })
  first.addEgress(10)
  t.equal(outcome({ isStream: true }), 'requests')
  for (const [without, expected] of [
    [{ requests: null }, 'egress'],
    [{ requests: null, egressBytes: null }, 'rps'],
    [{ requests: null, egressBytes: null, rps: null, burst: null }, 'concurrency'],
    [{ requests: null, egressBytes: null, rps: null, burst: null, concurrency: null }, 'streams'],
  ] as const) {
    const other = limiterOf({ ...all, ...without })
    other.lease({ isStream: true }).addEgress(10)
    t.equal(other.outcome({ isStream: true }), expected)
  }
  t.match(limiter.read(sessionKey('a', '')), { requests: 1, inFlight: 1, openStreams: 1 })
  const { outcome: ordinary, lease: holding } = limiterOf({ streams: 1 })
  holding({ isStream: true })
  t.equal(ordinary(), 'admitted', 'streams only count for streams')
})

t.test(
  'both quotas start from 0 in the next period of UTC, and what is given back later stays in its own [PLAN-4]',
  async t => {
    const { limiter, clock, lease, outcome } = limiterOf({ requests: 2, egressBytes: 100 })
    const first = lease()
    first.addEgress(1_000)
    t.equal(outcome(), 'egress')
    clock.at = 12 * 3_600_000 - 1
    t.equal(outcome(), 'egress')
    clock.at++
    t.equal(limiter.read(sessionKey('a', '')).requests, 0)
    t.strictSame([outcome(), outcome(), outcome()], ['admitted', 'admitted', 'requests'])
    first.giveBack({ withToken: true })
    t.equal(limiter.instance.requests, 2)
    t.strictSame(periodAt('month', Date.UTC(2024, 1, 29, 23, 59)), {
      kind: 'month',
      start: Date.UTC(2024, 1, 1),
      end: Date.UTC(2024, 2, 1),
    })
    t.strictSame(periodAt('month', Date.UTC(2026, 11, 31)), {
      kind: 'month',
      start: Date.UTC(2026, 11, 1),
      end: Date.UTC(2027, 0, 1),
    })
    t.strictSame(periodAt('day', Date.UTC(2026, 11, 31, 5)), {
      kind: 'day',
      start: Date.UTC(2026, 11, 31),
      end: Date.UTC(2027, 0, 1),
    })
    t.equal(secondsLeft(periodAt('day', START), START + 12 * 3_600_000 - 1), 1)
  },
)

t.test('a lease moves from flight to stream, and gives everything back once [PLAN-6, PLAN-7]', async t => {
  const { limiter, lease, outcome } = limiterOf({ streams: 1, concurrency: 3, requests: 100 })
  const slots = () => {
    const { inFlight, openStreams, requests } = limiter.instance
    return [inFlight, openStreams, requests]
  }
  const stream = lease()
  t.strictSame(slots(), [1, 0, 1])
  t.ok(stream.becomeStream())
  t.ok(stream.becomeStream(), 'twice is once')
  t.strictSame(slots(), [0, 1, 1])
  const late = lease()
  t.notOk(late.becomeStream(), 'no slot is free')
  late.giveBack({ withToken: false })
  late.giveBack({ withToken: false })
  t.strictSame(slots(), [0, 1, 1])
  t.equal(outcome({ isStream: true }), 'streams')
  stream.release()
  stream.release()
  t.strictSame(slots(), [0, 0, 1])
  t.ok(stream.becomeStream(), 'a route that is late takes nothing any more')
  t.strictSame(slots(), [0, 0, 1])
  const known = lease({ isStream: true })
  t.strictSame(slots(), [1, 1, 2], 'a known stream has its slot from the start')
  known.notAStream()
  t.strictSame(slots(), [1, 0, 2])
  known.release()
  const bypassed = [lease({ isBypassed: true, isStream: true }), lease({ isBypassed: true })]
  t.ok(bypassed[1]!.becomeStream(), 'never refused')
  t.strictSame(slots(), [1, 2, 4])
})

t.test(
  'header and address sessions that read alike have counters of their own; reading makes none [PLAN-9]',
  async t => {
    const { limiter } = limiterOf({ scope: 'session', requests: 1 })
    const admit = (header: string | undefined, ip: string) =>
      'lease' in limiter.admit(sessionKey(header, ip), { isStream: false, isBypassed: false })
    t.ok(admit('ip:10.0.0.9', '10.0.0.1'))
    t.ok(admit(undefined, '10.0.0.9'))
    t.notOk(admit(undefined, '10.0.0.9'))
    t.notOk(admit(' ip:10.0.0.9 ', '10.0.0.2'))
    t.ok(admit('bad name', '10.0.0.3'))
    t.equal(limiter.read(sessionKey('new', '')).requests, 0)
  },
)

t.test('of 10,000 sessions the idle ones go first, then the oldest tenth, the busy ones never [PLAN-9]', async t => {
  const sets = new SessionCounters()
  const use = (key: string, now: number) => sets.use(key, now, () => new Counters(off, { wall: START, monotonic: now }))
  use('busy', 0).inFlight = 1
  use('streaming', 0).openStreams = 1
  for (let index = 2; index < 10_000; index++) use(`s${index}`, index < 5 ? 0 : 3_600_000)
  use('s2', 3_600_000)
  t.equal(sets.size, 10_000)
  use('one more', 3_600_001)
  t.equal(sets.size, 9_999, 's3 and s4 were idle for more than an hour')
  t.strictSame(
    ['busy', 'streaming', 's2', 's3', 's4', 's5'].map(key => sets.peek(key) !== undefined),
    [true, true, true, false, false, true],
  )
  use('full', 3_600_001)
  use('again', 3_600_001)
  t.equal(sets.size, 9_001, 'nothing is idle: the 1,000 used longest ago')
  t.strictSame(
    ['busy', 'streaming', 's5', 's1004', 's1005', 's9999', 'one more'].map(key => sets.peek(key) !== undefined),
    [true, true, false, false, true, true, true],
  )
})

t.test('a rejection lists every policy in order, and a month has its own length [PLAN-10]', async t => {
  const limits: PlanLimits = {
    ...off,
    period: 'month',
    rps: 5,
    burst: 20,
    concurrency: 10,
    streams: 3,
    requests: 10_000,
    egressBytes: 1_000_000_000,
  }
  const { headers, body } = planRejection(
    { dimension: 'egress', retryAfterSecs: 77 },
    'pro',
    limits,
    Date.UTC(2026, 1, 10),
  )
  t.equal(
    headers['RateLimit-Policy'],
    '"rps";q=5;w=1;svc-burst=20, "concurrency";q=10;qu="concurrent-requests", "streams";q=3;qu="concurrent-requests", "requests";q=10000;w=2419200, "egress";q=1000000000;qu="content-bytes";w=2419200',
  )
  t.match(headers, {
    RateLimit: '"egress";r=0;t=77',
    'Retry-After': '77',
    'X-Svc-Limit': 'egress',
    'X-Svc-Plan': 'pro',
  })
  t.match(body, {
    error: 'svc_plan_limit',
    limit: 'egress',
    plan: 'pro',
    scope: 'instance',
    retry_after_secs: 77,
    usage: '/_svc/usage',
  })
  t.match(
    body.message,
    /^Rejected by this service's own plan limit, not by the gateway in front of it\. Plan pro, .*1000000000 bytes/,
  )
  t.equal(
    planRejection({ dimension: 'streams', retryAfterSecs: 1 }, 'custom', { ...off, streams: 1 }, START).headers[
      'RateLimit-Policy'
    ],
    '"streams";q=1;qu="concurrent-requests"',
  )
})

t.test('a call takes a token and counts, and holds no slot [PLAN-14]', async t => {
  const { limiter, clock } = limiterOf({ rps: 2, burst: 2, requests: 3, egressBytes: 1, concurrency: 1 })
  const call = () => {
    const result = limiter.admitCall(sessionKey('a', ''))
    return 'dimension' in result ? result.dimension : result
  }
  limiter.instance.egressBytes = 1
  t.type(call(), 'object', 'egress is not asked for')
  const second = call()
  t.equal(call(), 'rps')
  ;(second as { giveBack(): void }).giveBack()
  t.equal(limiter.instance.requests, 1)
  t.type(call(), 'object')
  clock.at = 1_000
  t.type(call(), 'object')
  t.equal(call(), 'requests')
  t.strictSame([limiter.instance.inFlight, limiter.instance.openStreams], [0, 0])
})
