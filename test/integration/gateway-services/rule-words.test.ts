/** Mistakes in rules about services are reported when the rule is stored, with the nearest word. */
import t, { type Test } from 'tap'
import { send } from '../../support/rules.ts'
import { serve } from '../../support/server.ts'

const server = await serve(t, { plugins: ['ext-authz', 'ext-mcp', 'ext-proc', 'rate-limit'] })
const DENY = { decide: { allow: false } }

const refused = async (t: Test, service: object, then: object, expected: object): Promise<void> => {
  const { status, json } = await send(server, 'PUT /_svc/rules/x', { body: { match: { service }, then } })
  t.match({ status, json }, { status: 400, json: { error: 'invalid_rule', ...expected } }, JSON.stringify(service))
}

t.test('a word that no service knows is refused, with the nearest [GWS-4]', async t => {
  await refused(t, { name: 'autz' }, DENY, { at: 'match.service.name', details: /"autz" \(did you mean "authz"\?\)/ })
  await refused(t, { name: 'envoy' }, DENY, { at: 'match.service.name', details: /expected one of .*ratelimit/ })
  await refused(t, { policy: 'alow' }, DENY, { at: 'match.service.policy', details: /did you mean "allow"/ })
  await refused(t, { phase: 'request_header' }, DENY, { at: 'match.service.phase', details: /"request_headers"/ })
  await refused(t, { name: { in: ['authz', 'prok'] } }, DENY, { at: 'match.service.name.in[1]', details: /"proc"/ })
  await refused(t, { name: { equals: 'mpc' } }, DENY, { at: 'match.service.name.equals', details: /"mcp"/ })
  for (const service of [
    { name: 'mcp', phase: 'response' },
    { name: 'proc', phase: 'response_body' },
    { name: { starts_with: 'auth' }, policy: { not: 'deny' } },
    { name: { equals: 'AUTHZ', ignore_case: true } },
    { domain: 'any', descriptor: 'any=thing' },
  ]) {
    const { status, text } = await send(server, 'PUT /_svc/rules/x', {
      body: { match: { service }, then: { pass: true } },
    })
    t.ok(status === 201 || status === 200, text)
  }
  const verified = await send(server, 'POST /_svc/verify', { body: { match: { service: { name: 'autz' } } } })
  t.match({ status: verified.status, text: verified.text }, { status: 400, text: /did you mean/ }, 'verifications too')
})

t.test('a step is read in the form of the service that the rule names [GWS-10]', async t => {
  await refused(t, { name: 'ratelimit' }, { decide: { code: 'ovr' } }, { at: 'then.decide.code', details: /ok, over/ })
  await refused(t, { name: 'ratelimit' }, DENY, { at: 'then.decide.allow', details: /unknown key/ })
  await refused(t, { domain: 'shop' }, { decide: { code: 'ovr', headers: {} } }, { at: 'then.decide.code' })
  await refused(t, { name: 'mcp' }, { decide: { code: 'ovr' } }, { at: 'then.decide.allow' })
  await refused(
    t,
    { name: 'authz' },
    { mutate: { params: {} } },
    { at: 'then.mutate', details: /authz can't have mutate/ },
  )
  await refused(t, { name: 'proc' }, DENY, { at: 'then.decide', details: /proc can't have decide/ })
})
