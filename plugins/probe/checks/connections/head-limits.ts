/** How many and how large fields a gateway takes, and how it refuses more. */
import { BOTH, defineCheck, fail, note, pass, skip, worst, type Protocol, type Verdict } from '../../catalog/check.ts'
import type { Call, Evidence } from '../../client/evidence.ts'
import { errorName } from '../../client/http2-form.ts'
import type { RequestSpec } from '../../client/request.ts'
import type { Field } from '../../client/response-parser.ts'
import { each, rfc } from '../builders.ts'

/** In HTTP/2, svc itself takes at most 128 fields, those that a gateway adds included. */
const HTTP2_FIELDS = 100
const COUNTS = [50, HTTP2_FIELDS, 200, 500]
const SIZES_KIB = [4, 8, 16, 32, 60]

/** Requests of which each is larger than the one before. */
type Series = readonly RequestSpec[]

function seriesOf(protocol: Protocol): Series[] {
  return [
    COUNTS.filter(count => protocol !== '2' || count <= HTTP2_FIELDS).map(count => ({
      label: `${count} fields`,
      fields: Array.from({ length: count }, (_, index): Field => [`X-Probe-N${index}`, String(index)]),
    })),
    SIZES_KIB.map(size => ({
      label: `${size} KiB in one`,
      fields: [['X-Probe-Long', 'v'.repeat(size * 1_024 - 200)]],
    })),
    [
      {
        label: '16 cookies',
        fields: [['Cookie', Array.from({ length: 16 }, (_, index) => `c${index}=v${index}`).join('; ')]],
      },
    ],
  ]
}

/** How a request ended that did not arrive. */
function endOf({ status, record: { http2 } }: Call): string {
  if (status !== null) return String(status)
  return http2 === null || http2.errorCode === null ? 'closed' : errorName(http2.errorCode)
}

/** What a request shows that did not arrive. `isLimit`: nothing larger of its series arrived either. */
function judgeRefusal(call: Call, { isLimit, isUpstreams }: { isLimit: boolean; isUpstreams: boolean }): Verdict {
  const { label, status } = call
  const how = `${label}: ${endOf(call)}`
  if (status !== null && status >= 400 && status <= 499) return note(how)
  if (isUpstreams) return note(`${how} (the upstream takes no more in HTTP/2)`)
  return isLimit ? fail(`refused without a 4xx: ${how}`) : skip(`not forwarded, although more is: ${how}`)
}

function judgeArrival(call: Call): Verdict {
  const { arrival, label, record } = call
  const missing = (record.spec.fields ?? []).filter(([name, value]) => arrival!.values(name).join('; ') !== value)
  // Beyond what is shown of an arrival nothing can be said.
  return missing.length > 0 && !arrival!.record.truncated
    ? fail(`forwarded with ${missing.length} fields missing or changed: ${label}`)
    : pass()
}

function judgeSeries(evidence: Evidence, series: Series): Verdict[] {
  const isHttp2 = evidence.calls.some(({ arrival }) => arrival?.record.protocol === '2')
  const calls = series.map(({ label }) => evidence.call(label!))
  const largest = calls.findLastIndex(({ count }) => count > 0)
  return calls.map((call, index) =>
    call.count > 0
      ? judgeArrival(call)
      : judgeRefusal(call, {
          isLimit: index > largest,
          isUpstreams: isHttp2 && series[index]!.fields!.length > HTTP2_FIELDS,
        }),
  )
}

export const HEADERS_CHECK = defineCheck({
  id: 'CON-HEADERS',
  title: 'Many and large fields',
  group: 'connections',
  protocols: BOTH,
  since: '2026.1',
  level: 'must',
  sources: rfc(9110, '5.4'),
  when: { judgesRefusal: true },
  page: {
    sent: 'Requests with 50 to 500 fields (in HTTP/2: to 100), with 4 to 60 KiB in one field, and with 16 cookies.',
    expected:
      'All fields arrive, or the request is refused with 4xx, such as 431 (RFC 6585). A 5xx is a refusal if nothing larger arrives; otherwise it says nothing about limits.',
    why: 'A field that is silently dropped may be the one that decides. After a 5xx, clients try again with the same request, and alarms go off.',
  },
  plan: ({ protocol }) => each(seriesOf(protocol).flat()),
  judge(evidence, { protocol }) {
    const { calls } = evidence
    if (calls.every(({ count }) => count === 0)) return skip(`not forwarded: ${endOf(calls[0]!)}`)
    const values = Object.fromEntries(calls.map(call => [call.label, call.count > 0 ? 'passes' : endOf(call)]))
    return { ...worst(seriesOf(protocol).flatMap(series => judgeSeries(evidence, series))), values }
  },
})
