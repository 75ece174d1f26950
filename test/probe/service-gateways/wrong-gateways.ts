/** Gateways that are wrong about one of their services, and the check that finds it. */
import type { ToyFaults } from './toy-gateway.ts'

export interface WrongGateway {
  name: string
  faults: ToyFaults
  group: 'authz' | 'ratelimit' | 'proc' | 'report'
  caught: Readonly<Record<string, 'fail' | 'warn'>>
  finding: RegExp
}

const of =
  (group: WrongGateway['group']) =>
  (name: string, faults: ToyFaults, id: string, verdict: 'fail' | 'warn', finding: RegExp): WrongGateway => ({
    name: `a gateway that ${name}`,
    faults: { only: group, ...faults },
    group,
    caught: { [id]: verdict },
    finding,
  })

const authz = of('authz')
const limit = of('ratelimit')
const proc = of('proc')
const report = of('report')

export const WRONG_GATEWAYS: readonly WrongGateway[] = [
  authz(
    'forwards what the authorization service denies',
    { forwardsDenied: true },
    'AUTHZ-DENY',
    'fail',
    /^arrives: denied with 403; denied with 401; denied POST$/,
  ),
  authz(
    "forwards the client's identity",
    { keepsIdentity: true },
    'AUTHZ-HEADERS',
    'fail',
    /^arrives as the client sent it: X-Svc-Tenant with a user, X-Svc-User without a user, X-Svc-Tenant without a user$/,
  ),
  authz(
    'asks about the decoded path',
    { asksDecoded: true },
    'AUTHZ-TARGET',
    'warn',
    /asks about GET \/a\/b, forwards GET \/a%2Fb/,
  ),
  authz(
    'gives a slow service up',
    { isImpatient: true },
    'AUTHZ-SLOW',
    'warn',
    /^refuses with 403 what the service allows after 300 ms$/,
  ),
  authz(
    'lets requests pass while the authorization service fails',
    { failsOpen: true },
    'AUTHZ-DOWN',
    'warn',
    /^fails open: the service fails; the service resets the call; the service does not reply$/,
  ),
  limit(
    'forwards what is over the limit',
    { forwardsOver: true },
    'RLS-OVER',
    'fail',
    /^arrives: GET over; POST over$/,
  ),
  limit(
    'drops the fields of the rate-limit service',
    { dropsFields: true },
    'RLS-HEADERS',
    'warn',
    /^missing or changed: x-probe-limit below the limit, x-probe-limit over the limit, retry-after over the limit$/,
  ),
  limit('counts twice', { countsTwice: true }, 'RLS-ONCE', 'warn', /^the first request is counted 2 times; /),
  limit(
    'answers with 429 while the rate-limit service fails',
    { blamesClient: true },
    'RLS-DOWN',
    'warn',
    /^429 although the service fails; /,
  ),
  proc(
    'ignores changes of fields',
    { ignoresFields: true },
    'PROC-HEADERS',
    'fail',
    /^x-probe-added of the request is ""; .*x-probe-removed of the response is still there$/,
  ),
  proc(
    'ignores changes of bodies',
    { ignoresBodies: true },
    'PROC-BODY',
    'fail',
    /^the request has "body of the probe"; the response has "answer of the probe"$/,
  ),
  proc(
    'loses a byte of long bodies',
    { losesBytes: true },
    'PROC-WHOLE',
    'fail',
    /^another body: request, length; response, length; request, chunked; response, chunked$/,
  ),
  proc('ignores answers of the processor', { ignoresImmediate: true }, 'PROC-IMMEDIATE', 'fail', /^arrives$/),
  proc(
    'lets requests pass while the processor fails',
    { processesOpen: true },
    'PROC-DOWN',
    'warn',
    /^fails open: the processor fails; /,
  ),
  report('reports twice', { reportsTwice: true }, 'RPT-ONCE', 'warn', /^the request 200 is in 2 logs of json; /),
  report(
    'reports 200 for everything',
    { reportedStatus: 200 },
    'RPT-STATUS',
    'fail',
    /log of json says 200, the client got 404/,
  ),
  report('reports ids of its own', { makesIds: true }, 'RPT-IDS', 'fail', /^log of json has the request id another, /),
  report('hides repeats', { hidesRepeats: true }, 'RPT-ATTEMPTS', 'warn', /^reset: 1 reported, 2 arrived$/),
  report(
    'reports credentials',
    { reportsCredentials: true },
    'RPT-SECRET',
    'warn',
    /^reported: Authorization, X-Api-Key, Cookie$/,
  ),
]
