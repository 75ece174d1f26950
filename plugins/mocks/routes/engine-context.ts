/** What the engine needs of one request. Made when the engine asks for it: most requests need little of it. */
import { type FastifyRequest, type OutputBudget, StepBudget } from 'svc/plugin'
import type { EngineContext } from '../exchange/engine.ts'
import type { Mock } from '../management/mock.ts'
import type { Incoming } from '../request/incoming.ts'
import { type Service, urlOf } from '../management/service.ts'
import { keyOfSession, type SessionMemory } from '../exchange/session-memory.ts'
import { CHECK_STEPS } from '../schema/sample.ts'

/** The context of a request for an operation of a mock. */
export class RequestContext implements EngineContext {
  readonly mock: string
  readonly session: string
  readonly #service: Service
  readonly #request: FastifyRequest
  readonly #incoming: Incoming
  readonly #sessionKey: string
  #steps: StepBudget | undefined
  #generation: StepBudget | undefined
  #checks: StepBudget | undefined
  #writing: StepBudget | undefined

  constructor(service: Service, request: FastifyRequest, mock: Mock, incoming: Incoming) {
    const session = service.svc.http.session(request)
    this.mock = mock.name
    this.session = session.label
    this.#sessionKey = keyOfSession(session)
    this.#service = service
    this.#request = request
    this.#incoming = incoming
  }

  get url(): string {
    const { path, rawQuery } = this.#incoming
    return `${urlOf(this.#service, this.#request, this.mock)}${path}${rawQuery && `?${rawQuery}`}`
  }

  get clientIp(): string {
    return this.#service.svc.http.clientIp(this.#request)
  }

  get scheme(): 'http' | 'https' {
    return this.#service.svc.http.origin(this.#request).scheme
  }

  get output(): OutputBudget {
    return this.#service.svc.budgets.output(this.#request)
  }

  get steps(): StepBudget {
    return (this.#steps ??= this.#service.svc.budgets.evaluation())
  }

  get generation(): StepBudget {
    return (this.#generation ??= this.#service.svc.budgets.evaluation())
  }

  get checks(): StepBudget {
    return (this.#checks ??= new StepBudget(CHECK_STEPS))
  }

  get writing(): StepBudget {
    return (this.#writing ??= this.#service.svc.budgets.evaluation())
  }

  /** Verifies access tokens of the built-in provider, with any issuer URL of this instance. */
  get verifyToken(): EngineContext['verifyToken'] {
    const tokens = this.#service.svc.use('identity.tokens')
    if (!tokens) return undefined
    return async token => {
      const verification = await tokens.verify(token, { algorithms: ['RS256'], typ: 'at+jwt', refuseRevoked: true })
      if (!verification.valid) return null
      const { scope } = verification.claims
      return { scopes: typeof scope === 'string' ? scope.split(' ') : [] }
    }
  }

  count(operation: string): Promise<SessionMemory> {
    return this.#service.memories.count(this.mock, this.#sessionKey, operation)
  }

  setState(values: Record<string, string | null>): Promise<SessionMemory> {
    return this.#service.memories.set(this.mock, this.#sessionKey, values)
  }

  hasClientCertificate(): boolean {
    return this.#service.svc.pki.clientCertificate(this.#request).state === 'valid'
  }

  random(): number {
    return Math.random()
  }

  now(): Date {
    return new Date()
  }

  ignoreRule(id: string): void {
    this.#service.svc.http.ignoreHeader(this.#request, id, 'too_expensive')
  }
}
