/** An upstream half that lies is an error of the probe, never a finding. Mostly waits: for timeouts. */
import t from 'tap'
import { BackChannel } from '../../plugins/probe/client/back-channel.ts'
import type { ArrivalRecord } from '../../plugins/probe/upstream/arrival-record.ts'
import type { StepScript } from '../../plugins/probe/upstream/script.ts'
import { launch } from '../../core/testing/launch.ts'
import { startProxy } from './proxies/reference-proxy.ts'
import { addressOf, checksNamed, findings, probeThrough } from './probe-through.ts'

const CHECKS = checksNamed([
  'HDR-UNKNOWN',
  'RSP-STATUS',
  'RSP-FIELDS',
  'RSP-COOKIES',
  'RSP-DATE',
  'RSP-CONN',
  'TGT-QUERY',
])

/** Obeys no script. */
class DisobedientChannel extends BackChannel {
  override addScripts(scripts: readonly StepScript[]): Promise<void> {
    const hello = { do: 'bytes', bytes: 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello' } as const
    return super.addScripts(scripts.map(({ step }) => ({ step, script: [{ do: 'receive' }, hello, { do: 'keep' }] })))
  }
}

/** Loses each arrival of a step behind this number. */
class ForgetfulChannel extends BackChannel {
  after = 0
  override async arrivals(steps: readonly number[]): Promise<ArrivalRecord[]> {
    return (await super.arrivals(steps)).filter(({ step }) => Number(step) <= this.after)
  }
}

/** Its clock is wrong by ten seconds. */
class ShiftedChannel extends BackChannel {
  override async open(ttlS: number): Promise<void> {
    await super.open(ttlS)
    this.offsetMs += 10_000
  }
}

/** Changes a byte of what arrived. */
class GarblingChannel extends BackChannel {
  override async arrivals(steps: readonly number[]): Promise<ArrivalRecord[]> {
    const found = await super.arrivals(steps)
    for (const record of found) if (Number(record.step) > 24) record.sha256 = record.sha256.replace(/^./, 'x')
    return found
  }
}

t.test('an upstream half that lies is an error, never a finding [PRB-13]', async t => {
  const server = await launch({ plugins: ['probe'] })
  t.teardown(() => server.stop())
  const proxy = await startProxy(server.ports.http!)
  t.teardown(() => proxy.close())
  const address = await addressOf(server.url)
  const forgetful = new ForgetfulChannel(address, null)
  // Those of reaching the upstream and the gateway.
  forgetful.after = 24
  const liars: [string, BackChannel, RegExp][] = [
    ['does not obey its scripts', new DisobedientChannel(address, null), /did not obey its script/],
    ['loses arrivals', forgetful, /saw nothing of it/],
    ['has another time', new ShiftedChannel(address, null), /clocks of the two halves disagree/],
    ['changes what arrived', new GarblingChannel(address, null), /what arrived differs/],
  ]
  for (const [name, channel, reason] of liars) {
    const { results } = await probeThrough(proxy.url, server.url, { checks: CHECKS, channel })
    const wrong = results.filter(({ verdict }) => verdict === 'fail' || verdict === 'warn' || verdict === 'note')
    t.strictSame(
      wrong.map(({ check }) => check.id),
      [],
      `${name}: no finding`,
    )
    const errors = results.filter(({ verdict }) => verdict === 'error')
    t.ok(errors.length > 0, `${name}: ${errors.length} errors`)
    t.ok(
      errors.every(result => reason.test(result.reason ?? '')),
      errors[0]?.reason ?? '',
    )
  }
})

t.test('an arrival that is lost behind the gateway is an error too [PRB-13]', async t => {
  const server = await launch({ plugins: ['probe'] })
  t.teardown(() => server.stop())
  const proxy = await startProxy(server.ports.http!)
  t.teardown(() => proxy.close())
  const forgetful = new ForgetfulChannel(await addressOf(server.url), null)
  // Those of reaching the upstream and the gateway, and of the direct run.
  forgetful.after = 25
  const run = await probeThrough(proxy.url, server.url, { checks: checksNamed(['HDR-UNKNOWN']), channel: forgetful })
  t.strictSame(findings(run), [
    'HDR-UNKNOWN error: the answer of the upstream came back, but the upstream does not know the request',
  ])
})
