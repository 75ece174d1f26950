/** Reads a login: the traffic `login`, and that of a route. */
import type { Json } from 'svc/plugin'
import { InputProblem } from 'svc/toolkit'
import type { LoginTraffic } from './demo.ts'
import { Part } from './values.ts'

const ISSUER = /^[\w-]{1,64}$/

/** `path`: of a route, which has its own. */
export function readLogin(
  value: Json | undefined,
  at: string,
  headers: Record<string, string>,
  path: string | null = null,
): LoginTraffic {
  const part = new Part(value, at, ['issuer', 'user', ...(path === null ? ['path', 'injected'] : [])])
  const issuer = part.textOr('issuer', 'default')
  if (!ISSUER.test(issuer)) throw new InputProblem(part.place('issuer'), 'expected the name of an issuer')
  return {
    kind: 'login',
    issuer,
    user: part.text('user', 256),
    path: path ?? part.path('path'),
    headers,
    isInjected: part.flag('injected'),
  }
}
