/** Runs a login: the form, further pages by variant and user, and the decision. */
import type { FastifyReply, FastifyRequest, Svc } from 'svc/plugin'
import type { OAuthErrorCode } from '../oauth/errors.ts'
import type { Parameters } from '../oauth/parameters.ts'
import { sendBrokenPage } from '../pages/page.ts'
import type { LoginVariant } from '../settings/login-settings.ts'
import type { Login, User } from '../stores/records.ts'
import { type LoginSubject, sendLoginPage } from './login-page.ts'
import { loginOf, needsMfa, ONE_TIME_CODE } from './login.ts'
import { sendCodeStep, sendConsentStep } from './step-pages.ts'
import { type LoginStep, STEP, type StepPurpose, type Steps } from './steps.ts'

const MAX_WRONG_CODES = 3
const DEFAULT_USER = 'demo'

/** What a login is for, and how it ends. */
export interface LoginPurpose {
  subject: LoginSubject
  variant: LoginVariant
  /** What the client asks for (OpenID Connect Core, 3.1.2.1). */
  acrValues: string | undefined
  loginHint: string | undefined
  state: StepPurpose
  approve(login: Login, scope: readonly string[]): Promise<FastifyReply>
  refuse(error: OAuthErrorCode, description: string): Promise<FastifyReply>
}

/** A request in a login. */
export interface LoginRequest {
  svc: Pick<Svc, 'http'>
  steps: Steps
  request: FastifyRequest
  reply: FastifyReply
}

type Progress = Pick<LoginStep, 'authTime' | 'isMfa' | 'wrongCodes'> & { user: User }

/** Handles a request without a step: shows the form, or takes the submitted one. */
export async function logIn(
  purpose: LoginPurpose,
  form: Parameters | null,
  asked: LoginRequest,
): Promise<FastifyReply> {
  const { subject, variant } = purpose
  if (variant === 'broken') return sendBrokenPage(asked.reply)
  if (variant === 'error') return purpose.refuse('server_error', 'the login of this issuer fails')
  if (variant === 'unavailable')
    return purpose.refuse('temporarily_unavailable', 'the login of this issuer is not available')
  if (variant === 'auto') return logInAutomatically(purpose)
  if (variant === 'slow') await asked.svc.http.delay(asked.request, subject.issuer.settings.login.ms)
  if (form === null) return sendLoginPage(asked.reply, subject, null)
  if (form.get('action') === 'deny') return deny(purpose)
  const username = form.get('username') ?? ''
  const { users } = subject.issuer
  const user = variant === 'locked' ? null : users.logIn(username, form.get('password') ?? '')
  if (user === null) {
    const problem = variant === 'locked' ? 'Sign-in failed: account locked.' : 'Wrong user name or password.'
    return sendLoginPage(asked.reply, { ...subject, username }, problem)
  }
  const { authTime } = loginOf(user, false)
  return proceed(purpose, { user, authTime, isMfa: false, wrongCodes: 0 }, null, asked)
}

/** Handles a page after the password. */
export async function continueLogin(
  purpose: LoginPurpose,
  step: LoginStep,
  form: Parameters,
  asked: LoginRequest,
): Promise<FastifyReply> {
  if (form.get('action') === 'deny') return deny(purpose)
  const user = purpose.subject.issuer.users.find(step.username)
  if (user === undefined) return purpose.refuse('access_denied', 'the user does not exist anymore')
  const progress: Progress = { ...step, user }
  if (step.page === 'consent') return proceed(purpose, progress, form.getAll('scope'), asked)
  if (form.get('otp') === ONE_TIME_CODE) return proceed(purpose, { ...progress, isMfa: true }, null, asked)
  const wrongCodes = step.wrongCodes + 1
  if (wrongCodes >= MAX_WRONG_CODES) return purpose.refuse('access_denied', 'the one-time code was wrong three times')
  return sendStep('otp', purpose, { ...progress, wrongCodes }, asked)
}

/** Shows the next page, or approves. `ticked` is what the user left ticked on the page for consent. */
async function proceed(
  purpose: LoginPurpose,
  progress: Progress,
  ticked: readonly string[] | null,
  asked: LoginRequest,
): Promise<FastifyReply> {
  const { user, authTime, isMfa } = progress
  const { variant, subject } = purpose
  const isCodeNeeded = variant === 'mfa' || needsMfa(user, purpose.acrValues)
  if (isCodeNeeded && !isMfa) return sendStep('otp', purpose, progress, asked)
  if (variant === 'consent' && ticked === null) return sendStep('consent', purpose, progress, asked)
  const scope =
    ticked === null ? subject.scope : subject.scope.filter(name => name === 'openid' || ticked.includes(name))
  if (scope.length === 0) return purpose.refuse('access_denied', 'the user granted no scope')
  return purpose.approve({ ...loginOf(user, isMfa), authTime }, scope)
}

async function sendStep(
  page: LoginStep['page'],
  { subject, state }: LoginPurpose,
  { user, authTime, isMfa, wrongCodes }: Progress,
  { steps, reply }: LoginRequest,
): Promise<FastifyReply> {
  const step = await steps.write(
    { page, purpose: state, username: user.username, authTime, isMfa, wrongCodes },
    subject.issuer,
  )
  const shown = { ...subject, hidden: [[STEP, step]] as const }
  return page === 'otp' ? sendCodeStep(reply, shown, wrongCodes > 0) : sendConsentStep(reply, shown, user)
}

/** Approves at once, for tests without a browser; a one-time code counts as entered where one is needed. */
async function logInAutomatically(purpose: LoginPurpose): Promise<FastifyReply> {
  const { issuer, scope } = purpose.subject
  const user = issuer.users.find(purpose.loginHint ?? issuer.settings.login.user ?? DEFAULT_USER)
  if (user === undefined) return purpose.refuse('login_required', 'the user is unknown')
  return purpose.approve(loginOf(user, needsMfa(user, purpose.acrValues)), scope)
}

function deny(purpose: LoginPurpose): Promise<FastifyReply> {
  return purpose.refuse('access_denied', 'the user denied the request')
}
