/** Checks of what Acme expects of its gateways, for `svc probe` and for runs over HTTP. */
import { definePlugin } from 'svc/plugin'
import type { CustomCheck } from 'svc/plugins/probe'

/** Applications behind the gateway trust X-Acme-Tenant, so clients must not be able to set it. */
const TENANT: CustomCheck = {
  id: 'acme.TENANT',
  title: 'Clients cannot choose their tenant',
  group: 'acme',
  level: 'integrity',
  page: {
    sent: 'A GET with X-Acme-Tenant: admin.',
    expected: 'The field arrives without this value, or not at all.',
    why: 'Applications show the data of the tenant that the field names.',
    configure: { nginx: 'proxy_set_header X-Acme-Tenant "";' },
  },
  steps: [{ name: 'spoofed', fields: [['X-Acme-Tenant', 'admin']] }],
  judge([spoofed]) {
    const tenants = spoofed!.arrivals[0]!.field('x-acme-tenant')
    return tenants.includes('admin')
      ? { verdict: 'fail', summary: 'X-Acme-Tenant arrives as the client sent it', values: { tenants } }
      : { verdict: 'pass' }
  },
}

/** Clients of Acme read problem details (RFC 9457), which some gateways replace by pages of their own. */
const PROBLEM = '{"type":"https://acme.example/problems/quota","title":"The quota is used up","status":429}'
const PROBLEM_DETAILS: CustomCheck = {
  id: 'acme.PROBLEM-DETAILS',
  title: 'Problem details come back',
  group: 'acme',
  level: 'integrity',
  impact: 'medium',
  sources: [{ spec: 'RFC 9457', section: '3' }],
  page: {
    sent: 'A POST with an order.',
    expected: 'The 429 of the upstream and its problem details come back unchanged.',
    why: 'Clients show the title, and wait as Retry-After says.',
  },
  steps: [
    {
      name: 'order',
      method: 'POST',
      rest: '/orders?dry_run=true',
      fields: [['Content-Type', 'application/json']],
      body: '{"item":"anvil"}',
      answer: {
        status: 429,
        fields: [
          ['Content-Type', 'application/problem+json'],
          ['Retry-After', '7'],
        ],
        body: PROBLEM,
      },
    },
  ],
  judge([order]) {
    const { arrivals, answer } = order!
    if (arrivals.length > 1)
      return {
        verdict: 'warn',
        summary: `the order was sent ${arrivals.length} times`,
        values: { sent: arrivals.length },
      }
    if (answer?.status !== 429) return { verdict: 'fail', summary: `429 came back as ${answer?.status ?? 'nothing'}` }
    if (answer.body.toString() !== PROBLEM) return { verdict: 'fail', summary: 'the body was changed' }
    return answer.field('retry-after').join() === '7'
      ? { verdict: 'pass' }
      : { verdict: 'warn', summary: 'Retry-After is missing or changed' }
  },
}

export default definePlugin({
  title: 'Probe: Acme',
  description: 'What Acme expects of its gateways.',
  paths: [],
  buildsOn: ['probe'],
  register(_app, svc) {
    const checks = svc.use('probe.checks')!
    checks.add(TENANT)
    checks.add(PROBLEM_DETAILS)
  },
})
