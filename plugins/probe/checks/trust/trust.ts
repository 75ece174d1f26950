/** Fields on which an upstream bases trust: CORS and client certificates. */
import { defineCheck, fail, note, pass, warn, worst, type Verdict } from '../../catalog/check.ts'
import type { Field } from '../../client/response-parser.ts'
import { answers, dateField, DEFAULT_FIELDS, each, one, probeBody } from '../builders.ts'

const ORIGIN = 'https://app.example'
const OWN_CORS: Field[] = [
  ['Access-Control-Allow-Origin', ORIGIN],
  ['Access-Control-Allow-Credentials', 'true'],
  ['Access-Control-Allow-Methods', 'PUT'],
  ['Access-Control-Allow-Headers', 'x-probe-cors'],
]
const CERTIFICATE_FIELDS: Field[] = [
  ['Client-Cert', ':AAAA:'],
  ['Client-Cert-Chain', ':AAAA:'],
  ['X-Forwarded-Client-Cert', 'Hash=0;Subject="CN=admin"'],
  ['X-SSL-Client-Cert', 'probe-certificate'],
  ['X-Client-Cert', 'probe-certificate'],
  ['ssl-client-cert', 'probe-certificate'],
]

const corsAnswer = (step: number): ReturnType<typeof answers> =>
  answers({ fields: [dateField(), ...DEFAULT_FIELDS, ...OWN_CORS], body: probeBody(step) })

export const TRUST_CHECKS = [
  defineCheck({
    id: 'COR-OWNER',
    title: 'One owner of CORS',
    group: 'trust',
    since: '2026.1',
    level: 'other-spec',
    sources: [{ spec: 'Fetch' }],
    when: { judgesRefusal: true },
    page: {
      sent: 'A preflight, and a GET with Origin; the upstream answers both with CORS fields.',
      expected: 'One Access-Control-Allow-Origin with one origin comes back.',
      why: 'Browsers reject two, so that nothing works although both sides allow it.',
    },
    plan: () =>
      each([
        {
          label: 'preflight',
          method: 'OPTIONS',
          fields: [
            ['Origin', ORIGIN],
            ['Access-Control-Request-Method', 'PUT'],
            ['Access-Control-Request-Headers', 'x-probe-cors'],
          ],
          script: corsAnswer,
        },
        { label: 'get', fields: [['Origin', ORIGIN]], script: corsAnswer },
      ]),
    judge(evidence) {
      const found: Verdict[] = []
      for (const call of evidence.calls) {
        const origins = call.values('access-control-allow-origin')
        if (origins.length > 1 || origins.some(value => value.includes(',')))
          found.push(fail(`${call.label}: more than one Access-Control-Allow-Origin`, { [call.label]: origins }))
        else if (origins.includes('*') && call.values('access-control-allow-credentials').includes('true'))
          found.push(fail(`${call.label}: any origin together with credentials`))
        else if (call.count === 0)
          found.push(note(`${call.label}: answered by the gateway (${call.status ?? 'closed'})`))
        else if (origins.join() !== ORIGIN)
          found.push(note(`${call.label}: the origin came back as ${origins.join() || 'nothing'}`))
      }
      return found.length === 0 ? pass() : worst(found)
    },
  }),
  defineCheck({
    id: 'MTL-SPOOF',
    title: 'Certificate fields from outside are removed',
    group: 'trust',
    since: '2026.1',
    level: 'hazard',
    sources: [{ spec: 'RFC 9440', section: '4' }],
    page: {
      sent: 'Client-Cert, Client-Cert-Chain, X-Forwarded-Client-Cert, X-SSL-Client-Cert, X-Client-Cert and ssl-client-cert.',
      expected: 'None of them arrives as sent.',
      why: 'An upstream that believes them lets anybody in as an administrator.',
      configure: { nginx: 'proxy_set_header Client-Cert "";' },
    },
    plan: () => one({ fields: CERTIFICATE_FIELDS }),
    judge({ first: { arrival } }, { asksForCertificates }) {
      const arrived = CERTIFICATE_FIELDS.filter(([name, value]) => arrival!.values(name).includes(value)).map(
        ([name]) => name,
      )
      if (asksForCertificates && arrived.includes('Client-Cert'))
        return fail('Client-Cert arrives as the client sent it, although the gateway asks for certificates', {
          arrived,
        })
      return arrived.length === 0 ? pass() : warn(`arrives as the client sent it: ${arrived.join(', ')}`, { arrived })
    },
  }),
]
