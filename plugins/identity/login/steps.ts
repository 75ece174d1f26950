/**
 * The state of a login between two pages: in a signed form field, so that it needs neither a cookie nor the parameters of
 * the request. Each text is used once and for ten minutes.
 */
import { createHmac, randomUUID } from 'node:crypto'
import { type Svc } from 'svc/plugin'
import { isSameSecret } from 'svc/toolkit'
import type { Issuer } from '../issuers/issuer.ts'
import { OAuthError } from '../oauth/errors.ts'
import { useOnce } from '../stores/used-ids.ts'

const LIFE_S = 600
/** The name of the form field. */
export const STEP = 'step'

/** What the pages of a login are for, as the state keeps it. */
export type StepPurpose =
  | {
      kind: 'authorize'
      /** The parameters of the request, wherever they came from. */
      parameters: readonly (readonly [name: string, value: string])[]
      isPushed: boolean
      isSigned: boolean
      requestUri: string | null
    }
  | { kind: 'device'; userCode: string }

/** The state of a login whose password was right. */
export interface LoginStep {
  page: 'otp' | 'consent'
  purpose: StepPurpose
  username: string
  /** Seconds since 1970. */
  authTime: number
  /** The user entered the right one-time code. */
  isMfa: boolean
  /** Wrong one-time codes so far. */
  wrongCodes: number
}

/** The state of a logout that the user has to confirm. */
export interface LogoutStep {
  page: 'logout'
  sid: string | null
  redirectTo: string | null
}

type AnyStep = LoginStep | LogoutStep

/** Signs states, and reads each of them once. */
export interface Steps {
  write(step: AnyStep, issuer: Issuer): Promise<string>
  /** Throws `invalid_request` for a text that is not one of the issuer, was used, has expired, or is of another page. */
  readLogin(text: string, issuer: Issuer, kind: StepPurpose['kind']): Promise<LoginStep>
  readLogout(text: string, issuer: Issuer): Promise<LogoutStep>
}

/** Opens the steps; all replicas accept those of each other. */
export function createSteps(svc: Pick<Svc, 'secret'>): Steps {
  const sign = async (payload: string, issuer: string): Promise<string> =>
    createHmac('sha256', await svc.secret('login-steps'))
      .update(`${issuer} ${payload}`)
      .digest('base64url')

  async function read(text: string, { name, stores }: Issuer): Promise<AnyStep> {
    const [payload = '', signature = ''] = text.split('.', 2)
    if (!isSameSecret(signature, await sign(payload, name))) throw invalidStep()
    const { step, id, expiresAt } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as SignedStep
    const isFresh = Date.now() / 1000 < expiresAt && (await useOnce(stores.usedSteps, '', id, expiresAt))
    if (!isFresh) throw invalidStep()
    return step
  }

  return {
    async write(step, { name }) {
      const expiresAt = Math.floor(Date.now() / 1000) + LIFE_S
      const signed: SignedStep = { step, id: randomUUID(), expiresAt }
      const payload = Buffer.from(JSON.stringify(signed)).toString('base64url')
      return `${payload}.${await sign(payload, name)}`
    },
    async readLogin(text, issuer, kind) {
      const step = await read(text, issuer)
      if (step.page === 'logout' || step.purpose.kind !== kind) throw invalidStep()
      return step
    },
    async readLogout(text, issuer) {
      const step = await read(text, issuer)
      if (step.page !== 'logout') throw invalidStep()
      return step
    },
  }
}

interface SignedStep {
  step: AnyStep
  id: string
  /** Seconds since 1970. */
  expiresAt: number
}

function invalidStep(): OAuthError {
  return new OAuthError('invalid_request', 'the step of the login is unknown, used or expired; start again')
}
