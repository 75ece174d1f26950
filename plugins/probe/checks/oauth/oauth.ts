/** The provider of OAuth behind the gateway: discovery, parameters, forms and caching. */
import { defineCheck, fail, pass, skip, warn, worst, type Check, type Verdict } from '../../catalog/check.ts'
import type { Call } from '../../client/evidence.ts'
import type { RequestSpec } from '../../client/request.ts'
import type { Field } from '../../client/response-parser.ts'
import { answers, dateField, each, onOne, rfc } from '../builders.ts'
import { parsed } from '../llm/chat.ts'
import { judgeOwnUrls, ownAnswerProblem, wrongOrigin, wrongUrl, type WrongUrl } from '../own-urls.ts'

const DOCUMENTS = ['openid-configuration', 'oauth-authorization-server'] as const
const CALLBACK = 'https://client.example/callback?tenant=a%2Bb'
const ISSUER = 'https://issuer.example'
const STATE = 'st%2Fate~1'
const AUTHORIZE = `response_type=code&client_id=svc-public&redirect_uri=${encodeURIComponent(CALLBACK)}&scope=openid%20profile+email&state=${STATE}&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256&resource=https%3A%2F%2Fapi.example%2Fa&resource=https%3A%2F%2Fapi.example%2Fb`
const REDIRECT = `${CALLBACK}&code=probe%2Bcode&state=${STATE}&iss=${encodeURIComponent(ISSUER)}`
const TOKEN_FORM = `grant_type=authorization_code&code=probe%2Bcode&redirect_uri=${encodeURIComponent(CALLBACK)}&code_verifier=dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk`
const ODD_FORM = 'grant_type=client_credentials&scope=a+b%2Bc%20d&resource=https%3A%2F%2Fapi.example%2F%3Fq%3D1&empty='
const ODD_BASIC = `Basic ${Buffer.from(`${encodeURIComponent('svc:client+1')}:${encodeURIComponent('s%cret /&ö')}`).toString('base64')}`
/** Endpoints that are named. */
const MAX_NAMES = 3
const FORM: Field = ['Content-Type', 'application/x-www-form-urlencoded']

const tokenAnswer = (step: number): ReturnType<typeof answers> =>
  answers({
    fields: [dateField(), ['Content-Type', 'application/json'], ['Cache-Control', 'no-store'], ['Pragma', 'no-cache']],
    body: `{"access_token":"probe-${step}","token_type":"Bearer","expires_in":60}`,
  })

const tokenRequest = (label: string, body: string, fields: readonly Field[] = []): RequestSpec => ({
  label,
  method: 'POST',
  path: '/oauth/token',
  fields: [FORM, ...fields],
  body,
  script: tokenAnswer,
})

type OAuthCheck = Omit<Check, 'group' | 'since'>
const oauthCheck = (check: OAuthCheck): Check => defineCheck({ ...check, group: 'oauth', since: '2026.1' })

/** The path at which a request asked, up to here. */
function pathBefore({ record }: Call, from: string): string {
  const path = record.sent.toString('latin1').split(' ')[1] ?? ''
  return path.slice(0, path.indexOf(from))
}

/** URLs of a metadata document that do not lead back to the origin at which it was requested. */
function wrongUrlsIn(name: string, call: Call, origin: string): WrongUrl[] {
  const { issuer, ...metadata } = parsed(call.bodyText) ?? {}
  const expected = `${new URL(origin).origin}${pathBefore(call, '/.well-known')}`
  const cause = wrongUrl(String(issuer), expected)
  if (cause !== null) return [{ cause, text: `${name}: the issuer is ${String(issuer)}, not ${expected}` }]
  const away = Object.entries(metadata)
    .filter(([key]) => /_endpoint$|^jwks_uri$/.test(key))
    .map(([key, url]) => ({ key, cause: wrongOrigin(String(url), origin) }))
    .filter(one => one.cause !== null)
  if (away.length === 0) return []
  const names = away.slice(0, MAX_NAMES).map(({ key }) => key)
  const more = away.length > names.length ? ` and ${away.length - names.length} more` : ''
  return [{ cause: away[0]!.cause!, text: `${name}: of another origin: ${names.join(', ')}${more}` }]
}

export const OAUTH_CHECKS: Check[] = [
  oauthCheck({
    id: 'OAU-ISSUER',
    title: 'Discovery agrees',
    level: 'hazard',
    sources: rfc(8414, '3.3'),
    when: { judgesRefusal: true, showsOwnAnswers: true },
    page: {
      sent: 'GET of both metadata documents, which svc answers itself.',
      expected:
        'The issuer is the URL at which the document was requested, and endpoints have the origin of the gateway.',
      why: 'Clients must refuse metadata of another issuer, and would go past the gateway.',
      configure: { nginx: 'proxy_set_header Host $http_host;' },
    },
    plan: () => each(DOCUMENTS.map(name => ({ label: name, path: `/.well-known/${name}`, noMarker: true }))),
    judge(evidence, facts, direct) {
      const found: WrongUrl[] = []
      const own: WrongUrl[] = []
      for (const name of DOCUMENTS) {
        const without = direct?.call(name)
        const problem = ownAnswerProblem(without?.status, 200)
        if (problem !== null) return problem
        const call = evidence.call(name)
        if (call.status !== 200 || parsed(call.bodyText) === null) return skip(`not routed: ${call.status ?? 'closed'}`)
        found.push(...wrongUrlsIn(name, call, facts.gateway.origin))
        if (without !== undefined) own.push(...wrongUrlsIn(name, without, facts.directOrigin))
      }
      return judgeOwnUrls(found, own, facts)
    },
  }),
  oauthCheck({
    id: 'OAU-CODE',
    title: 'Authorization code with PKCE',
    level: 'integrity',
    sources: rfc(9207),
    when: { http11: true },
    page: {
      sent: 'An authorization request with encoded parameters, answered with a redirect to the client, and the token request.',
      expected: 'All parameters arrive, and the redirect comes back unchanged, with state and iss.',
      why: 'A changed redirect URI or state ends every login.',
    },
    plan: () =>
      onOne([
        {
          label: 'authorize',
          path: `/oauth/authorize?${AUTHORIZE}`,
          script: () =>
            answers({
              status: 302,
              reason: 'Found',
              fields: [dateField(), ['Location', REDIRECT], ['Cache-Control', 'no-store']],
            }),
        },
        tokenRequest('token', TOKEN_FORM),
      ]),
    judge(evidence) {
      const authorize = evidence.call('authorize')
      const token = evidence.call('token')
      const found: Verdict[] = []
      const query = authorize.arrival!.target.split('?').slice(1).join('?')
      const lost = [...new URLSearchParams(AUTHORIZE)].filter(
        ([name, value]) => !new URLSearchParams(query).getAll(name).includes(value),
      )
      if (lost.length > 0) found.push(fail(`lost or changed on the way: ${lost.map(([name]) => name).join(', ')}`))
      const location = authorize.values('location').join()
      const back = URL.canParse(location) ? new URL(location) : null
      if (authorize.status !== 302 || back === null)
        found.push(fail(`the redirect came back as ${authorize.status ?? 'nothing'}`))
      else if (back.origin !== new URL(REDIRECT).origin) found.push(warn(`the redirect leads to ${back.origin}`))
      else if (!back.searchParams.has('iss')) found.push(fail('iss is missing in the redirect'))
      else if (location !== REDIRECT) {
        const changed = [...new URL(REDIRECT).searchParams].filter(
          ([name, value]) => back.searchParams.get(name) !== value,
        )
        if (changed.length > 0 || back.pathname !== new URL(REDIRECT).pathname)
          found.push(fail(`changed in the redirect: ${changed.map(([name]) => name).join(', ') || 'path'}`))
      }
      if (token.count > 0 && token.arrival!.content.toString('latin1') !== TOKEN_FORM)
        found.push(fail('the token request is changed'))
      return found.length === 0 ? pass() : worst(found)
    },
  }),
  oauthCheck({
    id: 'OAU-FORM',
    title: 'Forms and Basic credentials',
    level: 'integrity',
    sources: rfc(6749),
    when: { http11: true },
    page: {
      sent: 'A token request with Basic of an encoded id and secret, and a form with plus signs and encoded ones.',
      expected: 'Both arrive byte for byte.',
      why: 'A plus sign that is decoded twice is another password.',
    },
    plan: () => onOne([tokenRequest('token', ODD_FORM, [['Authorization', ODD_BASIC]])]),
    judge({ first }, { hasCredentials }) {
      const found: Verdict[] = []
      if (first.arrival!.content.toString('latin1') !== ODD_FORM) found.push(fail('the form is changed'))
      if (!hasCredentials && !first.arrival!.values('authorization').includes(ODD_BASIC))
        found.push(fail('the Basic credentials are lost or changed'))
      return found.length === 0 ? pass() : worst(found)
    },
  }),
  oauthCheck({
    id: 'OAU-CACHE',
    title: 'Token answers are not stored',
    level: 'must',
    sources: rfc(9111, '5.2.2.5'),
    when: { http11: true, judgesRefusal: true },
    page: {
      sent: 'Two equal token requests; the upstream answers with no-store.',
      expected: 'Both arrive, and no-store comes back.',
      why: 'A stored answer gives the token of one user to another.',
    },
    plan: () => ({
      inOrder: true,
      connections: ['1', '2'].map(label => ({ requests: [tokenRequest(label, 'grant_type=client_credentials')] })),
    }),
    judge(evidence) {
      const [first, second] = [evidence.call('1'), evidence.call('2')]
      const [token, again] = [first, second].map(call => parsed(call.bodyText)?.access_token)
      // Before all others: the first answer may be that of an earlier attempt, and so not be forwarded.
      if (token !== undefined && token === again) return fail('the answer was reused')
      if (first.count === 0) return skip(`not forwarded: ${first.status ?? 'closed'}`)
      const isKept = [first, second].every(
        call => call.count === 0 || /\bno-store\b/i.test(call.values('cache-control').join()),
      )
      return isKept ? pass() : warn('no-store is removed')
    },
  }),
]
