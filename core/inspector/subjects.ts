/** Captured requests as conditions see them. */
import type { StepBudget } from '../contract/budgets.ts'
import type { MatchFacts } from '../contract/testing.ts'
import { MatchSubject } from '../match/subject.ts'
import type { CapturedService } from './captured-service.ts'
import type { CapturedRequest } from './captured-request.ts'

export interface CaptureSubject {
  readonly captured: CapturedRequest
  readonly request: MatchSubject
}

/** The protocol of conditions on calls of services. */
const SERVICE = 'service'

function factsOf(facts: CapturedService['facts']): MatchFacts {
  return Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, value ?? undefined]))
}

/** Whether a text can be a mark for `since`: the id of an entry, or a time (RFC 3339). */
export function isMark(text: string): boolean {
  return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(text) || timeOf(text) !== null
}

/** Milliseconds since 1970; null if the text is not a time. */
function timeOf(text: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/.test(text)) return null
  const time = Date.parse(text)
  return Number.isNaN(time) ? null : time
}

/**
 * Numbers captured requests in the order in which they are added, oldest first, so that conditions can test what came after
 * an entry. An entry that is not among them comes before all of them.
 */
export class Subjects {
  readonly #positions = new Map<string, number>()
  /** Must not keep evicted requests in memory. */
  readonly #added = new WeakMap<CapturedRequest, number>()
  #count = 0
  /** The last subject: an evaluation that waits for facts is repeated on it. */
  #last: CaptureSubject | null = null

  add(captured: CapturedRequest): void {
    const position = this.#count++
    this.#added.set(captured, position)
    // A client can only know ids that have been created.
    if (captured.id !== null) this.#positions.set(captured.id, position)
  }

  /**
   * An added request, for one evaluation. What the evaluation reads, such as the parsed body, is kept with the subject: it
   * takes more memory than the request, so subjects must not be kept.
   */
  subject(captured: CapturedRequest, steps: StepBudget): CaptureSubject {
    if (this.#last?.captured === captured && this.#last.request.steps === steps) return this.#last
    let body: Buffer | null = null
    let within: MatchSubject | undefined
    const request = new MatchSubject(
      {
        method: captured.method,
        url: captured.uri,
        ...(captured.served === undefined ? {} : { served: captured.served }),
        rawHeaders: captured.rawHeaders,
        session: captured.session,
        clientIp: captured.clientIp,
        scheme: captured.scheme ?? 'http',
        get body() {
          return (body ??= Buffer.from(captured.decodedBody ?? captured.body ?? '', 'latin1'))
        },
        status: captured.status,
        rule: captured.rule,
        tags: captured.tags,
        isSince: mark => this.isSince(mark, captured),
        within: protocol => (protocol === SERVICE ? (within ??= this.#withinOf(captured, steps)) : undefined),
      },
      steps,
    )
    return (this.#last = { captured, request })
  }

  /** The request that a call of a service is about. */
  #withinOf(captured: CapturedRequest, steps: StepBudget): MatchSubject | undefined {
    const { service } = captured
    if (service === undefined) return undefined
    const { method, url, rawHeaders, session, clientIp, scheme, body } = service.checked
    const { status, rule } = captured
    const subject = new MatchSubject(
      {
        method,
        url,
        rawHeaders,
        session,
        clientIp,
        scheme,
        body: Buffer.from(body ?? '', 'latin1'),
        status,
        rule,
        isSince: mark => this.isSince(mark, captured),
      },
      steps,
    )
    subject.setProtocol(SERVICE, [factsOf(service.facts)])
    return subject
  }

  /** Whether this request was added, or a copy of it with the same id. */
  has(captured: CapturedRequest): boolean {
    return this.#added.has(captured) || (captured.id !== null && this.#positions.has(captured.id))
  }

  /** Whether an added request came after the entry with this id, or at or after this time. */
  isSince(mark: string, captured: CapturedRequest): boolean {
    const time = timeOf(mark)
    if (time !== null) return captured.arrivedAt >= time
    const marked = this.#positions.get(mark)
    return marked === undefined || this.#added.get(captured)! > marked
  }
}
