/** Facts that other checks depend on. */
import { defineCheck, note, pass, warn, worst } from '../../catalog/check.ts'
import { pathChange } from '../../client/reach.ts'
import { each, one, rfc } from '../builders.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY', 'PROPFIND', 'FOO']

export const REACH_CHECKS = [
  defineCheck({
    id: 'RCH-NONCE',
    title: 'The upstream is reached',
    group: 'reach',
    since: '2026.1',
    level: 'observation',
    sources: [],
    when: { judgesRefusal: true },
    page: {
      sent: 'Twelve GET requests on six connections.',
      expected: 'Each arrives at an upstream that is known.',
      why: 'Nothing else can be judged if another server answers.',
    },
    plan: () => ({ connections: Array.from({ length: 6 }, () => ({ requests: [{}, {}] })) }),
    judge(evidence) {
      const arrivals = evidence.calls.flatMap(call => call.arrivals)
      const instances = [...new Set(arrivals.map(({ record }) => record.instance))]
      const connections = new Set(arrivals.map(({ record }) => `${record.instance} ${record.connection}`)).size
      const values = {
        arrived: evidence.calls.filter(({ count }) => count > 0).length,
        upstream_connections: connections,
        instances,
      }
      const where = instances.length > 1 ? ` to ${instances.length} instances` : ''
      return note(`${values.arrived} of 12 arrived, over ${connections} upstream connections${where}`, values)
    },
  }),
  defineCheck({
    id: 'RCH-PATH',
    title: 'The path is not rewritten',
    group: 'reach',
    since: '2026.1',
    level: 'observation',
    sources: [],
    page: {
      sent: 'A GET with the path "one/two" behind the step.',
      expected: 'The path arrives as it was sent.',
      why: 'An upstream behind a rewritten path writes links that do not lead back.',
    },
    plan: () => one({ rest: '/one/two' }),
    judge(evidence) {
      const { record, arrival } = evidence.first
      const sent = / (\S*)\/probe\//.exec(record.sent.toString('latin1'))?.[1] ?? ''
      const change = pathChange(sent, arrival!.prefix)
      if (change.removed === '' && change.added === '') return pass()
      return note(
        `the gateway removes ${JSON.stringify(change.removed)} and adds ${JSON.stringify(change.added)}`,
        change,
      )
    },
  }),
  defineCheck({
    id: 'RCH-METHODS',
    title: 'Methods',
    group: 'reach',
    since: '2026.1',
    level: 'observation',
    sources: rfc(9110, '7.6'),
    when: { judgesRefusal: true },
    page: {
      sent: `One request each with ${METHODS.join(', ')}.`,
      expected: 'Each arrives with its method.',
      why: 'APIs with other methods do not work if the gateway refuses them.',
    },
    plan: () => each(METHODS.map(method => ({ method, label: method }))),
    judge(evidence, facts) {
      const forwarded: string[] = []
      const refused: string[] = []
      const changed = []
      for (const method of METHODS) {
        const call = evidence.call(method)
        if (call.count === 0) refused.push(`${method} ${call.status ?? 'closed'}`)
        else if (call.arrival!.method === method) forwarded.push(method)
        else if (!(method === 'HEAD' && call.arrival!.method === 'GET' && facts.reuses === true))
          changed.push(warn(`${method} arrives as ${call.arrival!.method}`))
      }
      const seen = note(
        `forwarded: ${forwarded.join(', ')}${refused.length === 0 ? '' : `; refused: ${refused.join(', ')}`}`,
        {
          forwarded,
          refused,
        },
      )
      return changed.length > 0 ? worst(changed) : seen
    },
  }),
  defineCheck({
    id: 'RCH-VERSION',
    title: 'Versions of HTTP',
    group: 'reach',
    since: '2026.1',
    level: 'observation',
    sources: [],
    page: {
      sent: 'An ordinary GET in HTTP/1.1; with --h2 or https: also one in HTTP/2.',
      expected: 'The versions that the gateway speaks with clients and with the upstream are reported.',
      why: 'Over HTTP/1.0 an upstream can neither stream with chunks nor send interim responses.',
    },
    plan: () => one(),
    judge(evidence, { clientProtocols }) {
      const upstream = evidence.first.arrival!.record.protocol
      const consequence =
        upstream === '1.0' ? ': no chunked answers, no interim responses, a connection per request' : ''
      return note(`client ${clientProtocols.join(', ')}; upstream ${upstream}${consequence}`, {
        client: clientProtocols,
        upstream: [upstream],
      })
    },
  }),
]
