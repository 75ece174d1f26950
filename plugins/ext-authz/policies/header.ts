/** The policy `header`: a drop-in for the sample service of Istio's tasks on external authorization. */
import { type HeaderLine, NO_HEADER_CHANGES, settable } from 'svc/toolkit'
import type { Decision } from '../decision.ts'
import { headerOf, type Policy, type PolicyCall } from './policy.ts'

const CHECKED = 'x-ext-authz'
const RESULT = 'x-ext-authz-check-result'
const RECEIVED = 'x-ext-authz-check-received'
const OVERRIDE = 'x-ext-authz-additional-header-override'
const GRPC_OVERRIDE = 'grpc-additional-header-override-value'
const DENIED = 'denied by ext_authz for not found header `x-ext-authz: allow` in the request'
/** Longer parts of what was received are replaced. */
const MAX_OCTETS = 60_000
const TOO_LONG = '<too-long>'

export const headerPolicy: Policy = {
  name: 'header',
  summary: "Allows requests with `x-ext-authz: allow`, as the sample service of Istio's documentation does.",
  decide(call) {
    const { checked, protocol, principal } = call
    // The sample lets one service account pass, which only gRPC tells.
    const isAllowed = headerOf(checked, CHECKED) === 'allow' || (protocol === 'grpc' && principal.endsWith('/sa/a'))
    const override = protocol === 'grpc' ? GRPC_OVERRIDE : (headerOf(checked, OVERRIDE) ?? '')
    const lines: HeaderLine[] = [
      [RESULT, isAllowed ? 'allowed' : 'denied'],
      [RECEIVED, settable(receivedText(call))],
      [OVERRIDE, settable(override)],
    ]
    const shared = { headers: { ...NO_HEADER_CHANGES, set: lines }, responseHeaders: NO_HEADER_CHANGES }
    const decision: Decision = isAllowed
      ? { ...shared, decision: 'allow', status: 200, reason: `${CHECKED} is allow` }
      : {
          ...shared,
          decision: 'deny',
          status: 403,
          reason: `${CHECKED} is not allow`,
          headers: NO_HEADER_CHANGES,
          responseHeaders: { ...NO_HEADER_CHANGES, set: lines },
          body: DENIED,
        }
    return decision
  },
}

/** What the service has received, in one line. */
function receivedText({ checked }: PolicyCall): string {
  const { method, receivedUrl, rawHeaders, body } = checked
  const lines = new Map<string, string[]>()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase()
    if (name !== 'host') lines.set(name, [...(lines.get(name) ?? []), rawHeaders[index + 1]!])
  }
  const shown = [...lines].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, values]) => `${name}:[${values.join(' ')}]`)
  const start = `${method} ${headerOf(checked, 'host') ?? ''}${receivedUrl}`
  return `${start}, headers: map[${bounded(shown.join(' '))}], body: [${bounded(body.toString('latin1'))}]`
}

function bounded(text: string): string {
  return text.length > MAX_OCTETS ? TOO_LONG : text
}
